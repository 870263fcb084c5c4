// The AWS credentials and region of this process, and the request signatures that use them (Signature Version 4).
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AwsRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface SigningPurpose {
  /** The AWS service in the signature, for example `sts`. */
  readonly service: string;
  /** Defaults to the region of the process. */
  readonly region?: string;
  readonly at: Instant;
}

export interface AwsIdentity {
  region(): Promise<string>;
  /** The time when the current credentials expire. Undefined if they do not expire. */
  expiresAt(): Promise<Instant | undefined>;
  /** Returns the headers to send, including the signature. */
  sign(request: AwsRequest, purpose: SigningPurpose): Promise<Readonly<Record<string, string>>>;
  /** Returns a presigned URL. It must be requested with the same headers. */
  presign(request: AwsRequest, purpose: SigningPurpose & { readonly seconds: number }): Promise<URL>;
}

type AwsSettings = Pick<SQSClient['config'], 'credentials' | 'region' | 'sha256'>;

/** Uses the credential provider of the SDK's SQS client, which finds and renews credentials. */
export function createAwsIdentity(settings: AwsSettings = new SQSClient({}).config): AwsIdentity {
  const { credentials, sha256 } = settings;
  const signerFor = ({ service, region }: SigningPurpose) =>
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
    ...withoutUndefined({ body }),
  };
}

/** https://docs.aws.amazon.com/general/latest/gr/rande.html#regional-endpoints */
export function toServiceUrl(service: string, region: string): URL {
  return new URL(`https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`);
}
