# SPDX-License-Identifier: GPL-2.0-or-later
# Print the labels of a Kubernetes node, as a feature file of Node Feature Discovery:
#
#	instinctctl status --json | jq -r -f labels.jq
#
# --arg expiry TIME   the labels expire at this time (RFC 3339) unless written anew
# --arg amd yes       add the labels of AMD's node labeller for pf-passthrough
#
# A GPU in reset is usable again soon, so "usable" counts ready and resetting GPUs. A blocked GPU is in
# order, and so is a node of which a user has a part of the hive.

# A label's name or value has at most 63 characters, with letters or digits at both ends.
def word: gsub("[^A-Za-z0-9._-]"; "_") | .[:63] | gsub("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$"; "");
def ours($name):
	"feature.node.kubernetes.io/\("instinct-vfio.\($name)" | word)=\(tostring | word)";
def counts(by): group_by(by)[] | [(.[0] | by), length];

def is_here: .state != "missing";
def is_managed: is_here and .state != "unmanaged";
def is_usable: .state == "ready" or .state == "resetting";
def is_bad: .state == "lost" or .state == "quarantined" or .state == "missing";

def of_node:
	(.devices | map(select(is_managed))) as $managed |
	($managed | length | ours("managed")),
	($managed | map(select(is_usable)) | length | ours("usable")),
	("lost", "quarantined", "blocked" | . as $state | $managed | map(select(.state == $state)) | length |
		ours($state)),
	(.devices | map(select(is_here | not)) | length | ours("missing")),
	(.module // "none" | ours("module")),
	(.policy_state // "unknown" | ours("policy")),
	($managed != [] and all(.devices[]; is_bad | not) and .policy_state == "whole" |
		ours("healthy"));

def of_gpus:
	.devices | map(select(is_here)) |
	(length | ours("gpus")),
	(counts(.model) as [$model, $count] | $count | ours("model.\($model)")),
	(group_by(.family)[] | .[0].family as $family | map(select(is_usable)) | length |
		ours("usable.\($family)"));

# With a single ID AMD's labeller puts no count into the name in "amd.com".
def of_amd:
	[.devices[] | select(is_managed) | .device[2:]] | select(. != []) | group_by(.) |
	"amd.com/gpu.mode=pf-passthrough",
	(.[] | "beta.amd.com/gpu.device-id.\(.[0])=\(length)"),
	if length == 1 then
		("amd.com", "beta.amd.com") + "/gpu.device-id=\(.[0][0])"
	else
		.[] | "amd.com/gpu.device-id.\(.[0])=\(length)"
	end;

if .version != 1 then
	error("status --json has version \(.version), labels.jq knows 1")
else
	($ARGS.named.expiry | select(.) | "# +expiry-time=\(.)"),
	of_node,
	of_gpus,
	(select($ARGS.named.amd == "yes") | of_amd)
end
