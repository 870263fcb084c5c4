import { beforeEach, describe, expect, it } from 'vitest';
import { createSecretKubeconfig } from '../../../../../shared/kubernetes/credentials/secret-kubeconfig.ts';
import { SteppedClock, settled } from '../../../../support/stepped-clock.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:mgmt-AbCdEf';
const minute = 60_000;

function kubeconfig(token: string, server = 'https://mgmt.example.com'): string {
  return JSON.stringify({
    'current-context': 'here',
    clusters: [{ name: 'mgmt', cluster: { server } }],
    users: [{ name: 'functions', user: token.startsWith('/') ? { tokenFile: token } : { token } }],
    contexts: [{ name: 'here', context: { cluster: 'mgmt', user: 'functions' } }],
  });
}

describe('a kubeconfig in Secrets Manager', () => {
  let clock: SteppedClock;
  let value: string | Error;
  let reads = 0;
  const readSecret = async (): Promise<string> => {
    reads += 1;
    await settled();
    if (value instanceof Error) {
      throw value;
    }
    return value;
  };
  const make = () => createSecretKubeconfig(arn, { readSecret, clock });

  beforeEach(() => {
    clock = new SteppedClock();
    value = kubeconfig('first');
    reads = 0;
  });

  it('provides server and token', async () => {
    const credentials = await make();
    expect(credentials.server).toBe('https://mgmt.example.com');
    expect(await credentials.current()).toMatchObject({
      endpoint: { server: 'https://mgmt.example.com' },
      authorization: 'Bearer first',
    });
  });

  it('is read again after five minutes, once for all concurrent requests', async () => {
    const credentials = await make();
    const { endpoint } = await credentials.current();
    value = kubeconfig('second');
    await clock.advance(5 * minute - 1);
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer first' });
    await clock.advance(1);
    const all = await Promise.all([credentials.current(), credentials.current(), credentials.current()]);
    expect(all.map(({ authorization }) => authorization)).toEqual(['Bearer second', 'Bearer second', 'Bearer second']);
    expect(all[0]?.endpoint).toBe(endpoint);
    expect(reads).toBe(2);
  });

  it('is read again after a 401 of the API server', async () => {
    const credentials = await make();
    expect(await credentials.refresh()).toBe(false);
    value = kubeconfig('second');
    expect(await credentials.refresh()).toBe(true);
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer second' });
  });

  it('stays in use while Secrets Manager does not answer, and is read again after ten seconds', async () => {
    const credentials = await make();
    value = new Error('throttled');
    await clock.advance(5 * minute);
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer first' });
    value = kubeconfig('second');
    await clock.advance(9_999);
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer first' });
    await clock.advance(1);
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer second' });
  });

  it.each([
    { held: kubeconfig('/var/run/token'), says: 'names a file, which is not read', reason: 'files of this machine' },
    { held: '- not: a kubeconfig', says: 'has another type than expected', reason: 'no kubeconfig' },
  ])('is rejected with the name of its secret: $says ($reason)', async ({ held, says }) => {
    value = held;
    await expect(make()).rejects.toThrow(`Kubeconfig secret ${arn}`);
    await expect(make()).rejects.toThrow(says);
  });

  it('is unavailable while its secret cannot be read', async () => {
    value = new Error('AccessDeniedException');
    await expect(make()).rejects.toThrow('AccessDeniedException');
  });
});
