import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AwsRequest } from '../../../../shared/aws/identity.ts';
import { createSecretReader, type HttpAnswer, postByTls, SecretError } from '../../../../shared/aws/secrets.ts';
import { testIdentity } from '../../../support/aws-identity.ts';
import { makeSelfSignedCertificate } from '../../../support/self-signed-certificate.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:mgmt-AbCdEf';

function reading(answer: HttpAnswer | Error) {
  const asked: AwsRequest[] = [];
  const read = createSecretReader({
    identity: testIdentity({ sessionToken: 'of-a-role' }),
    post: async request => {
      asked.push(request);
      if (answer instanceof Error) {
        throw answer;
      }
      return answer;
    },
  });
  return { asked, read };
}

const ok = (body: object): HttpAnswer => ({ status: 200, text: JSON.stringify(body) });

afterEach(() => void vi.unstubAllEnvs());

describe('reading a secret', () => {
  it('calls the region of the secret with a signed request', async () => {
    const { asked, read } = reading(ok({ SecretString: 'value' }));
    expect(await read(arn)).toBe('value');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: new URL('https://secretsmanager.eu-west-1.amazonaws.com/'),
      body: JSON.stringify({ SecretId: arn }),
      headers: {
        'x-amz-target': 'secretsmanager.GetSecretValue',
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-security-token': 'of-a-role',
        authorization: expect.stringContaining('/eu-west-1/secretsmanager/aws4_request'),
      },
    });
  });

  it('calls the endpoint of the environment, signed for it', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', 'https://vpce-1.example:8443');
    const { asked, read } = reading(ok({ SecretString: 'value' }));
    expect(await read(arn)).toBe('value');
    expect(asked[0]).toMatchObject({
      url: new URL('https://vpce-1.example:8443/'),
      headers: { host: 'vpce-1.example:8443', authorization: expect.stringContaining('/eu-west-1/secretsmanager/') },
    });
  });

  it.each(['http://127.0.0.1:1', 'vpce-1.example', ''])('refuses the endpoint "%s"', async endpoint => {
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', endpoint);
    const { asked, read } = reading(ok({ SecretString: 'value' }));
    await expect(read(arn)).rejects.toThrow(
      `Reading secret ${arn} failed: AWS_ENDPOINT_URL_SECRETS_MANAGER must be an address that begins with https://`,
    );
    expect(asked).toEqual([]);
  });

  it('returns a binary value as text', async () => {
    const binary = Buffer.from('apiVersion: v1').toString('base64');
    expect(await reading(ok({ SecretBinary: binary })).read(arn)).toBe('apiVersion: v1');
  });

  it.each([
    {
      answer: {
        status: 400,
        text: '{"__type":"com.amazonaws#ResourceNotFoundException","Message":"Secrets Manager can\'t find the specified secret."}',
      },
      says: "400 ResourceNotFoundException Secrets Manager can't find the specified secret.",
      reason: 'the service reports an error',
    },
    { answer: { status: 503, text: '<html>' }, says: '503', reason: 'a proxy answered' },
    { answer: new Error('connect ETIMEDOUT'), says: 'connect ETIMEDOUT', reason: 'the service is unreachable' },
    { answer: ok({}), says: 'the answer holds no value', reason: 'no version has a value' },
    { answer: { status: 200, text: 'plain' }, says: 'the answer holds no value', reason: 'not JSON' },
  ])('reports the response: $says ($reason)', async ({ answer, says }) => {
    const thrown = await reading(answer)
      .read(arn)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SecretError);
    expect(thrown).toMatchObject({ message: `Reading secret ${arn} failed: ${says}` });
  });
});

describe('the request for a secret', () => {
  const trusted = getCACertificates('default');
  let server: Server;
  let certificate: string;
  let seen: string[];

  beforeAll(async () => {
    seen = [];
    const { certificatePem: cert, keyPem: key } = makeSelfSignedCertificate();
    certificate = cert;
    server = createServer({ cert, key }, (request, response) => {
      text(request).then(body => {
        seen.push(`${request.method} ${request.url} ${request.headers['x-amz-target']} ${body}`);
        response.writeHead(400).end('{"__type":"AccessDeniedException"}');
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await new Promise(resolve => server.close(resolve));
  });

  const request = (): AwsRequest => ({
    method: 'POST',
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`), // true: it is listening, so the address is never null
    headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: '{}',
  });

  it('is not sent to a server without a valid certificate', async () => {
    await expect(postByTls(request())).rejects.toThrow(/self-signed certificate/);
    expect(seen).toEqual([]);
  });

  it('returns the response of the service', async () => {
    setDefaultCACertificates([...trusted, certificate]);
    expect(await postByTls(request())).toEqual({ status: 400, text: '{"__type":"AccessDeniedException"}' });
    expect(seen).toEqual(['POST / secretsmanager.GetSecretValue {}']);
  });
});
