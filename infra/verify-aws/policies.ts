// Validates the policies of a stack's roles, in the form that IAM stores, with IAM Access Analyzer.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/access-analyzer-policy-validation.html
import type { VerifyTarget, VerifyWorld } from './verify-context.ts';

interface Finding {
  readonly findingType: string;
  readonly issueCode: string;
  readonly findingDetails: string;
}

const failing: readonly string[] = ['ERROR', 'SECURITY_WARNING'];

/** Rejects with each error and security warning. Prints suggestions and other warnings. */
export async function requireSoundPolicies(
  { run, say }: Pick<VerifyWorld, 'run' | 'say'>,
  { deployment }: VerifyTarget,
): Promise<void> {
  const ask = async (...args: string[]) =>
    JSON.parse(await run({ program: 'aws', args: [...args, '--output', 'json'] }));
  const listed = await ask('cloudformation', 'list-stack-resources', '--stack-name', deployment.name);
  const resources: readonly { readonly ResourceType: string; readonly PhysicalResourceId: string }[] =
    listed.StackResourceSummaries;
  const roles = resources.filter(({ ResourceType }) => ResourceType === 'AWS::IAM::Role');
  const problems: string[] = [];
  let policies = 0;
  for (const { PhysicalResourceId: role } of roles) {
    const { PolicyNames: names } = await ask('iam', 'list-role-policies', '--role-name', role);
    for (const name of names) {
      const { PolicyDocument: document } = await ask(
        'iam',
        'get-role-policy',
        '--role-name',
        role,
        '--policy-name',
        name,
      );
      const given = ['--policy-type', 'IDENTITY_POLICY', '--policy-document', JSON.stringify(document)];
      const { findings } = await ask('accessanalyzer', 'validate-policy', ...given);
      policies += 1;
      for (const { findingType, issueCode, findingDetails } of findings as readonly Finding[]) {
        const text = `${role}: ${findingType} ${issueCode}: ${findingDetails}`;
        if (failing.includes(findingType)) {
          problems.push(text);
        } else {
          say(`  ${text}`);
        }
      }
    }
  }
  if (problems.length > 0 || policies === 0) {
    throw new Error(`${policies} policies were validated. ${problems.join('; ')}`);
  }
  say(`  ${policies} policies of ${roles.length} roles`);
}
