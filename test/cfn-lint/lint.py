# Checks CloudFormation templates with cfn-lint, in each region that offers Lambda function URLs. The arguments are the
# templates. Prints the regions and the findings as JSON.
import json
import sys

from cfnlint.config import ConfigMixIn
from cfnlint.helpers import REGIONS
from cfnlint.runner import Runner
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER, ResourceNotFoundError


def offers_function_urls(region):
    try:
        PROVIDER_SCHEMA_MANAGER.get_resource_schema(region, "AWS::Lambda::Url")
        return True
    except ResourceNotFoundError:
        return False


regions = [region for region in REGIONS if offers_function_urls(region)]
found = Runner(ConfigMixIn(["--regions", *regions, "--", *sys.argv[1:]])).run()
findings = [
    {
        "file": finding.filename,
        "rule": finding.rule.id,
        "message": finding.message,
        "path": "/".join(str(part) for part in finding.path or []),
    }
    for finding in found
]
print(json.dumps({"regions": regions, "findings": findings}))
