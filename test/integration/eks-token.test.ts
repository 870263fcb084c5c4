// Tokens for EKS clusters, verified by the code of aws-iam-authenticator. The first one is sent by a bundled function.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentBundles } from '../../infra/bundles/current.ts';
import { windowedFunction } from '../../infra/function-plans.ts';
import { loadTarget } from '../../local/load-function.ts';
import { invoke } from '../../local/local-lambda.ts';
import { createEksCredentials } from '../../shared/kubernetes/credentials/eks.ts';
import { findEksTokenVerifier } from '../eks-token/token-verifier.ts';
import { testIdentity, testSecretKey } from '../support/aws-identity.ts';
import { describePart } from '../support/describe-part.ts';
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';

interface TokenCase {
  readonly token: string;
  readonly clusterID: string;
  readonly partition: string;
  readonly region: string;
}

/** `asked` contains the hosts of requests to STS. */
type Verdict = ({ readonly arn: string } | { readonly refusal: string }) & { readonly asked: readonly string[] };

const folder = mkdtempSync(path.join(tmpdir(), 'capi-eks-token-'));
const certificateAuthorityFile = path.join(folder, 'ca.pem');

const minute = 60_000;
const sessionToken = 'of-a-role';
const region = 'eu-central-1';
const host = `sts.${region}.amazonaws.com`;
const arn = 'arn:aws:sts::123456789012:assumed-role/function/session';

const awsEnvironment = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: testSecretKey,
  AWS_SESSION_TOKEN: sessionToken,
};

/** Invokes the bundled function. Returns the token of its first request to the API server. */
async function tokenOfBundle(): Promise<string> {
  const { certificatePem: cert, keyPem: key } = makeSelfSignedCertificate();
  writeFileSync(certificateAuthorityFile, cert);
  const headers: (string | undefined)[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    headers.push(request.headers.authorization);
    response.writeHead(401).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // True: it listens on a TCP port.
  const before = { ...process.env };
  Object.assign(process.env, awsEnvironment, {
    AWS_REGION: region,
    CAPI_EKS_CLUSTER: 'mgmt',
    CAPI_EKS_ENDPOINT: `https://127.0.0.1:${port}`,
    CAPI_EKS_CERTIFICATE_AUTHORITY_FILE: certificateAuthorityFile,
    CAPI_LOG_LEVEL: 'error',
  });
  try {
    const [bundle = { file: '' }] = await currentBundles([windowedFunction]);
    await invoke(await loadTarget(bundle, windowedFunction), {}, systemClock);
  } finally {
    process.env = before;
    server.close();
    server.closeAllConnections();
  }
  return toToken(headers[0]);
}

/** Returns a token of the library that the bundles contain. */
async function tokenOf(of: { readonly cluster?: string; readonly region?: string; readonly ageMs?: number }) {
  const credentials = await createEksCredentials(
    { cluster: of.cluster ?? 'mgmt', endpoint: 'https://mgmt.example.com', certificateAuthorityFile },
    {
      identity: testIdentity({ region: of.region ?? region, sessionToken }),
      clock: { now: () => Date.now() - (of.ageMs ?? 0) },
    },
  );
  return toToken((await credentials.current()).authorization);
}

function toToken(authorization: string | undefined): string {
  const [scheme, token = ''] = authorization?.split(' ') ?? [];
  expect(scheme).toBe('Bearer');
  return token;
}

const prefix = 'k8s-aws-v1.';

/** Returns the token with a changed URL. */
function changed(token: string, change: (url: string) => string): string {
  const url = Buffer.from(token.slice(prefix.length), 'base64url').toString();
  expect(change(url)).not.toBe(url);
  return `${prefix}${Buffer.from(change(url)).toString('base64url')}`;
}

describePart('a token for an EKS cluster', findEksTokenVerifier(), {
  part: 'the verifier of EKS tokens',
  declare: ({ program }) => {
    let sent: string;

    beforeAll(async () => {
      sent = await tokenOfBundle();
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    function verify(token: string, given: Partial<TokenCase> = {}): Verdict {
      const input: TokenCase = { token, clusterID: 'mgmt', partition: 'aws', region, ...given };
      const { status, stdout, stderr } = spawnSync(program, {
        input: `${JSON.stringify(input)}\n`,
        encoding: 'utf8',
        env: awsEnvironment,
      });
      expect(stderr).toBe('');
      expect(status).toBe(0);
      return JSON.parse(stdout);
    }

    const refusedByVerifier = (reason: string) => ({ refusal: expect.stringContaining(reason), asked: [] });
    const refusedBySts = (code: string, asked = host) => ({ refusal: expect.stringContaining(code), asked: [asked] });

    it('is accepted as a bundled function sends it, after one request to STS of its region', () => {
      expect(verify(sent)).toEqual({ arn, asked: [host] });
    });

    it('is accepted in another region of the partition, because STS of each region knows each role', () => {
      expect(verify(sent, { region: 'us-east-1' })).toEqual({ arn, asked: [host] });
    });

    it.each([
      { of: 'us-gov-west-1', partition: 'aws-us-gov', suffix: 'amazonaws.com' },
      { of: 'cn-north-1', partition: 'aws-cn', suffix: 'amazonaws.com.cn' },
    ])('is accepted in partition $partition', async ({ of, partition, suffix }) => {
      expect(verify(await tokenOf({ region: of }), { partition, region: of })).toEqual({
        arn,
        asked: [`sts.${of}.${suffix}`],
      });
    });

    it('is refused in another partition, without a request', () => {
      expect(verify(sent, { partition: 'aws-cn', region: 'cn-north-1' })).toEqual(
        refusedByVerifier(`does not support hostname ${host}`),
      );
    });

    it('is refused by another cluster, because the signature contains the name of its own', () => {
      expect(verify(sent, { clusterID: 'staging' })).toEqual(refusedBySts('SignatureDoesNotMatch'));
    });

    it('is accepted until the 15th minute, so also when its function replaces it after 14', async () => {
      expect(verify(await tokenOf({ ageMs: 14 * minute }))).toEqual({ arn, asked: [host] });
      expect(verify(await tokenOf({ ageMs: 16 * minute }))).toEqual(refusedByVerifier('is expired'));
    });

    const tampering = [
      {
        reason: 'a newer date',
        change: (url: string) =>
          url.replace(/X-Amz-Date=\d{8}T\d{6}Z/, () => `X-Amz-Date=${toAmzDate(Date.now() + minute)}`),
        verdict: refusedBySts('SignatureDoesNotMatch'),
      },
      {
        reason: 'another signature',
        change: (url: string) =>
          url.replace(/(X-Amz-Signature=)(.)/, (_, name: string, digit: string) => `${name}${digit === '0' ? 1 : 0}`),
        verdict: refusedBySts('SignatureDoesNotMatch'),
      },
      {
        reason: 'the host of another region',
        change: (url: string) => url.replace(host, 'sts.us-east-1.amazonaws.com'),
        verdict: refusedBySts('SignatureDoesNotMatch', 'sts.us-east-1.amazonaws.com'),
      },
      {
        reason: 'a host that is not STS',
        change: (url: string) => url.replace(host, 'sts.eu-central-1.amazonaws.com.example.com'),
        verdict: refusedByVerifier('hostname'),
      },
      {
        reason: 'another action',
        change: (url: string) => url.replace('GetCallerIdentity', 'AssumeRole'),
        verdict: refusedByVerifier('unexpected action'),
      },
      {
        reason: 'no signed cluster',
        change: (url: string) => url.replace('%3Bx-k8s-aws-id', ''),
        verdict: refusedByVerifier('did not sign the x-k8s-aws-id header'),
      },
      {
        reason: 'another role session',
        change: (url: string) => url.replace(sessionToken, 'of-another-role'),
        verdict: refusedBySts('InvalidClientTokenId'),
      },
    ];

    it.each(tampering)('is refused with $reason', ({ change, verdict }) => {
      expect(verify(changed(sent, change))).toEqual(verdict);
    });

    it('contains no secret key', () => {
      expect(Buffer.from(sent.slice(prefix.length), 'base64url').toString()).not.toContain(testSecretKey);
    });
  },
});

/** Returns the time in the format of X-Amz-Date. */
function toAmzDate(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
