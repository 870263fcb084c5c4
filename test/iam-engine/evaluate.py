# Evaluates calls against the policies of roles with moto's IAM engine. Reads {"roles": {name: [document]}, "calls":
# [{"action", "resource", "context"}]} as JSON. Prints the names of the roles that allow each call as JSON.
import json
import sys

from moto.iam.access_control import IAMPolicy, PermissionResult


def allows(policies, call):
    results = [
        policy.is_action_permitted(call["action"], call["resource"], None, call["context"]) for policy in policies
    ]
    return PermissionResult.PERMITTED in results and PermissionResult.DENIED not in results


given = json.load(sys.stdin)
roles = {
    name: [IAMPolicy({"policy_document": json.dumps(document)}) for document in documents]
    for name, documents in given["roles"].items()
}
print(json.dumps([[name for name, policies in roles.items() if allows(policies, call)] for call in given["calls"]]))
