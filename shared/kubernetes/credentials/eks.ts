// Tokens for EKS clusters: a presigned GetCallerIdentity URL that the cluster sends to STS. The creation of a token
// needs no request. https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html
import { readFile } from 'node:fs/promises';
import type { Clock } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type AwsIdentity, createAwsIdentity, toServiceUrl } from '../../aws/identity.ts';
import type { Credentials } from './credentials.ts';
import { createRenewedCredentials } from './renewed-credentials.ts';

export interface EksCluster {
  readonly cluster: string;
  readonly endpoint: string;
  /** The path of a file with the certificate (PEM), or `data:;base64,` and the certificate. */
  readonly certificateAuthorityFile: string;
}

interface EksOptions {
  readonly identity?: AwsIdentity;
  readonly clock?: Pick<Clock, 'now'>;
}

/** A deployment that creates the cluster knows its certificate on AWS only, so no file can contain it. */
const dataPrefix = 'data:;base64,';
const tokenPrefix = 'k8s-aws-v1.';
/** EKS accepts a token for 15 minutes after signing. One minute is reserved for clock differences and requests. */
const renewAfterMs = 14 * 60_000;
/** A token becomes invalid when the credentials that signed it expire. */
const beforeCredentialsEndMs = 60_000;
const presignedSeconds = 60;

/** Rejects if the process has no AWS credentials or no region, or if the file cannot be read. */
export async function createEksCredentials(
  { cluster, endpoint, certificateAuthorityFile }: EksCluster,
  { identity = createAwsIdentity(), clock = systemClock }: EksOptions = {},
): Promise<Credentials> {
  const ca = certificateAuthorityFile.startsWith(dataPrefix)
    ? Buffer.from(certificateAuthorityFile.slice(dataPrefix.length), 'base64').toString('latin1')
    : await readFile(certificateAuthorityFile, 'latin1');
  return createRenewedCredentials({
    clock,
    load: async () => {
      const at = clock.now();
      const url = toServiceUrl('sts', await identity.region());
      url.search = 'Action=GetCallerIdentity&Version=2011-06-15';
      const asked = { method: 'GET', url, headers: { 'x-k8s-aws-id': cluster } } as const;
      const signed = await identity.presign(asked, { service: 'sts', at, seconds: presignedSeconds });
      const expiresAt = (await identity.expiresAt()) ?? Number.POSITIVE_INFINITY;
      return {
        endpoint: { server: endpoint, ca, insecureSkipTlsVerify: false },
        authorization: `Bearer ${tokenPrefix}${Buffer.from(signed.href).toString('base64url')}`,
        staleAt: Math.min(at + renewAfterMs, expiresAt - beforeCredentialsEndMs),
      };
    },
  });
}
