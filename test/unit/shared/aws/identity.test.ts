import { createHmac, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toServiceUrl } from '../../../../shared/aws/identity.ts';
import { testIdentity, testSecretKey } from '../../../support/aws-identity.ts';

const at = Date.parse('2015-08-30T12:36:00Z');

/** The signature according to the published steps, in a second implementation. */
function signatureOf(
  canonical: string,
  { region, service }: { readonly region: string; readonly service: string },
): string {
  const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const scope = `20150830/${region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n20150830T123600Z\n${scope}\n${hash('sha256', canonical, 'hex')}`;
  const key = ['20150830', region, service, 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${testSecretKey}`);
  return mac(key, toSign).toString('hex');
}

describe('a signature', () => {
  it('is that of the published algorithm', async () => {
    const url = toServiceUrl('secretsmanager', 'eu-central-1');
    const body = '{"SecretId":"one"}';
    const headers = await testIdentity().sign(
      { method: 'POST', url, headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' }, body },
      { service: 'secretsmanager', at },
    );
    const digest = hash('sha256', body, 'hex');
    const canonical = `POST\n/\n\nhost:${url.host}\nx-amz-content-sha256:${digest}\nx-amz-date:20150830T123600Z\nx-amz-target:secretsmanager.GetSecretValue\n\nhost;x-amz-content-sha256;x-amz-date;x-amz-target\n${digest}`;
    const expected = signatureOf(canonical, { region: 'eu-central-1', service: 'secretsmanager' });
    expect(headers['authorization']).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-central-1/secretsmanager/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-target, Signature=${expected}`,
    );
  });

  it('may be in a URL, for requests with the same headers', async () => {
    const url = new URL('?Action=GetCallerIdentity&Version=2011-06-15', toServiceUrl('sts', 'eu-central-1'));
    const signed = await testIdentity().presign(
      { method: 'GET', url, headers: { 'x-k8s-aws-id': 'mgmt' } },
      { service: 'sts', at, seconds: 60 },
    );
    const { 'X-Amz-Signature': signature, ...query } = Object.fromEntries(signed.searchParams);
    const ordered = Object.entries(query)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .toSorted();
    const canonical = `GET\n/\n${ordered.join('&')}\nhost:${url.host}\nx-k8s-aws-id:mgmt\n\nhost;x-k8s-aws-id\n${hash('sha256', '', 'hex')}`;
    expect(signature).toBe(signatureOf(canonical, { region: 'eu-central-1', service: 'sts' }));
  });

  it('uses the credentials and the region of the environment', async () => {
    const until = Date.parse('2026-01-01T01:00:00Z');
    const identity = testIdentity({ region: 'us-west-2', expiresAt: () => until });
    expect(await identity.region()).toBe('us-west-2');
    expect(await identity.expiresAt()).toBe(until);
    expect(await testIdentity().expiresAt()).toBeUndefined();
  });
});

describe('the address of a service', () => {
  it.each([
    { region: 'eu-central-1', host: 'sts.eu-central-1.amazonaws.com' },
    { region: 'us-gov-west-1', host: 'sts.us-gov-west-1.amazonaws.com' },
    { region: 'cn-north-1', host: 'sts.cn-north-1.amazonaws.com.cn' },
  ])('in $region is $host', ({ region, host }) => {
    expect(toServiceUrl('sts', region).href).toBe(`https://${host}/`);
  });
});
