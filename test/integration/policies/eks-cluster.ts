// The management cluster as an EKS cluster: the access entries of the template decide which functions it accepts. The
// signatures of tokens are verified in test/integration/eks-token.test.ts.
import { toRecord } from '@capi-serverless/apimachinery';
import type { ApiServerOptions } from '@capi-serverless/apiserver';
import type { Synthesised } from '../../support/synthesised.ts';

type Authenticate = NonNullable<ApiServerOptions['authenticate']>;

const prefix = 'k8s-aws-v1.';

/**
 * Returns the users of tokens for this cluster. In these tests, the access key that signed a token is the name of the
 * function. A function whose role has no access entry is refused.
 */
export function eksUsers(cluster: string, stack: Synthesised): Authenticate {
  const entries = stack.all('AWS::EKS::AccessEntry').filter(({ Properties }) => Properties['ClusterName'] === cluster);
  return token => {
    const name = signerOf(token);
    const principal = name === undefined ? '' : JSON.stringify({ 'Fn::GetAtt': [stack.roleOf(name), 'Arn'] });
    const entry = entries.find(({ Properties }) => JSON.stringify(Properties['PrincipalArn']) === principal);
    const groups = toRecord(entry?.Properties)['KubernetesGroups'];
    // The embedded API server has no RBAC. The rights of these groups are tested in deployed-rights.test.ts.
    return name === undefined || !Array.isArray(groups)
      ? undefined
      : { name, groups: [...groups.map(String), 'system:masters'] };
  };
}

/** Returns the access key of a signed request for the caller's identity. */
function signerOf(token: string): string | undefined {
  const text = Buffer.from(token.slice(prefix.length), 'base64url').toString();
  if (!(token.startsWith(prefix) && URL.canParse(text))) {
    return undefined;
  }
  const { searchParams } = new URL(text);
  const isSigned = searchParams.get('X-Amz-SignedHeaders')?.split(';').includes('x-k8s-aws-id') === true;
  return isSigned && searchParams.get('Action') === 'GetCallerIdentity'
    ? searchParams.get('X-Amz-Credential')?.split('/')[0]
    : undefined;
}
