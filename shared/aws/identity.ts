// Who this process is to AWS: the credentials and the region that the SDK finds in its environment, and signatures made with them.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
import { SQSClient } from '@aws-sdk/client-sqs';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Instant } from '../api/object.ts';

export interface AwsRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Purpose {
  /** Of the AWS service, as signatures name it: `sts`. */
  readonly service: string;
  /** Default: that of the process. */
  readonly region?: string;
  readonly at: Instant;
}

export interface AwsIdentity {
  region(): Promise<string>;
  /** When the present credentials end; undefined: they do not. */
  expiresAt(): Promise<Instant | undefined>;
  /** The headers to send, signature included. */
  sign(request: AwsRequest, purpose: Purpose): Promise<Readonly<Record<string, string>>>;
  /** A URL that proves who asked for it; whoever sends it must send the same headers. */
  presign(request: AwsRequest, purpose: Purpose & { readonly seconds: number }): Promise<URL>;
}

export type AwsSettings = Pick<SQSClient['config'], 'credentials' | 'region' | 'sha256'>;

/** The SDK's queue client knows how to find credentials and when to renew them; nobody should write that again. */
export function createAwsIdentity(settings: AwsSettings = new SQSClient({}).config): AwsIdentity {
  const { credentials, sha256 } = settings;
  const signerFor = ({ service, region }: Purpose) =>
    new SignatureV4({ service, region: region ?? settings.region, credentials, sha256 });
  return {
    region: settings.region,
    expiresAt: async () => (await settings.credentials()).expiration?.getTime(),
    sign: async (request, purpose) =>
      (await signerFor(purpose).sign(toSignable(request), { signingDate: new Date(purpose.at) })).headers,
    presign: async (request, { seconds, ...purpose }) => {
      const options = { signingDate: new Date(purpose.at), expiresIn: seconds };
      const { query = {} } = await signerFor(purpose).presign(toSignable(request), options);
      const url = new URL(request.url);
      url.search = Object.entries(query)
        .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
        .join('&');
      return url;
    },
  };
}

function toSignable({ method, url, headers, body }: AwsRequest) {
  return {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...headers },
    ...(body === undefined ? {} : { body }),
  };
}

/** https://docs.aws.amazon.com/general/latest/gr/rande.html#regional-endpoints */
export function toServiceUrl(service: string, region: string): URL {
  return new URL(`https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`);
}
