# SPDX-License-Identifier: GPL-2.0-or-later
# Labels of a Kubernetes node, in the form of Node Feature Discovery's feature files:
#
#	instinctctl status --json | jq -r -f labels.jq
#
# --arg expiry TIME   the labels go when nobody has written them anew until then (RFC 3339)
# --arg amd yes       those of AMD's node labeller for pf-passthrough too
#
# A reset under way is no news: "usable" is ready or resetting.

# What a label's name or value may be: 63 characters, letters and digits at its ends.
def word: gsub("[^A-Za-z0-9._-]"; "_") | .[:63] | gsub("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$"; "");
def ours($name):
	"feature.node.kubernetes.io/\("instinct-vfio.\($name)" | word)=\(tostring | word)";
def counts(by): group_by(by)[] | [(.[0] | by), length];

def is_managed: .state != "unmanaged";
def is_usable: .state == "ready" or .state == "resetting";
def is_bad: .state == "lost" or .state == "quarantined";

def of_node:
	(.devices | map(select(is_managed))) as $managed |
	($managed | length | ours("managed")),
	($managed | map(select(is_usable)) | length | ours("usable")),
	("lost", "quarantined" | . as $state | $managed | map(select(.state == $state)) | length |
		ours($state)),
	(.module // "none" | ours("module")),
	(.policy_state // "unknown" | ours("policy")),
	($managed != [] and all($managed[]; is_bad | not) and .policy_state == "whole" |
		ours("healthy"));

def of_gpus:
	.devices |
	(length | ours("gpus")),
	(counts(.model) as [$model, $count] | $count | ours("model.\($model)")),
	(group_by(.family)[] | .[0].family as $family | map(select(is_usable)) | length |
		ours("usable.\($family)"));

# One ID has no count in its name in "amd.com", as AMD's labeller has it.
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
	error("status --json has version \(.version), this knows 1")
else
	($ARGS.named.expiry | select(.) | "# +expiry-time=\(.)"),
	of_node,
	of_gpus,
	(select($ARGS.named.amd == "yes") | of_amd)
end
