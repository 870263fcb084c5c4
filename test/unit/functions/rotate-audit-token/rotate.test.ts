import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Order,
  parseOrder,
  rotate,
  type SecretVersions,
} from '../../../../functions/rotate-audit-token/rotate.ts';
import { createSecretVersions } from '../../../../functions/rotate-audit-token/secret-versions.ts';
import type { AwsRequest } from '../../../../shared/aws/identity.ts';
import { createTokens } from '../../../../shared/lambda/tokens.ts';
import { testIdentity } from '../../../support/aws-identity.ts';

const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:tokens-AbCdEf';
const steps = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;
const token = (name: string) => `${name}-`.padEnd(43, 'x');

/** An in-memory Secrets Manager: the value and stages of each version. */
class Store implements SecretVersions {
  readonly values = new Map<string, string>([['v1', token('first')]]);
  readonly stages = new Map<string, string>([['AWSCURRENT', 'v1']]);
  readonly promotions: unknown[] = [];

  async value(_secret: string, { stage, version }: { readonly stage: string; readonly version?: string }) {
    const found = this.stages.get(stage);
    return found === undefined || (version !== undefined && version !== found) ? undefined : this.values.get(found);
  }

  async versionIn(_secret: string, stage: string) {
    return this.stages.get(stage);
  }

  async put(_secret: string, { version, value, stage }: { version: string; value: string; stage: string }) {
    this.values.set(version, value);
    this.stages.set(stage, version);
  }

  async promote(_secret: string, { version, from }: { readonly version: string; readonly from: string | undefined }) {
    this.promotions.push({ version, from });
    this.stages.set('AWSCURRENT', version);
    this.stages.delete('AWSPENDING');
  }

  current(): Promise<readonly string[]> {
    const value = this.values.get(this.stages.get('AWSCURRENT') ?? '') ?? '';
    return createTokens(
      'CAPI_AUDIT_TOKENS',
      { file: undefined, tokens: undefined, secret },
      async () => value,
    ).current();
  }
}

describe('rotating the token of the audit webhook', () => {
  let store: Store;
  let made = 0;

  beforeEach(() => {
    store = new Store();
    made = 0;
  });

  const newToken = () => {
    made += 1;
    return token(`new-${made}`);
  };
  const step = (Step: Order['Step'], version: string) =>
    rotate({ versions: store, newToken }, { Step, SecretId: secret, ClientRequestToken: version });

  async function rotateTo(version: string): Promise<void> {
    for (const one of steps) {
      await step(one, version);
    }
  }

  it('keeps the current token valid in addition to the new one', async () => {
    await rotateTo('v2');
    expect(await store.current()).toEqual([token('new-1'), token('first')]);
  });

  it('drops the old token with the next rotation', async () => {
    await rotateTo('v2');
    await rotateTo('v3');
    expect(await store.current()).toEqual([token('new-2'), token('new-1')]);
  });

  it('keeps the old token valid until the rotation is finished', async () => {
    await step('createSecret', 'v2');
    await step('setSecret', 'v2');
    await step('testSecret', 'v2');
    expect(await store.current()).toEqual([token('first')]);
  });

  it('creates one token, even if a step is repeated', async () => {
    for (const one of steps) {
      await step(one, 'v2');
      await (one === 'testSecret' ? undefined : step(one, 'v2'));
    }
    expect(made).toBe(1);
    expect(await store.current()).toEqual([token('new-1'), token('first')]);
  });

  it('promotes a version once, from the version that was current, even if the step is repeated', async () => {
    await rotateTo('v2');
    await step('finishSecret', 'v2');
    expect(store.promotions).toEqual([{ version: 'v2', from: 'v1' }]);
  });

  it('refuses a current value without a valid token, and names only the secret', async () => {
    store.values.set('v1', 'short');
    await expect(step('createSecret', 'v2')).rejects.toThrow(`${secret} holds a token that is shorter than 20`);
    expect(store.stages.has('AWSPENDING')).toBe(false);
  });

  it('refuses to test a version that does not exist', async () => {
    await expect(step('testSecret', 'v2')).rejects.toThrow(`${secret} holds 0 tokens`);
  });

  it.each([{}, { Step: 'deleteSecret', SecretId: secret, ClientRequestToken: 'v' }, { Step: 'setSecret' }])(
    'refuses an event that is not of Secrets Manager: %o',
    event => {
      expect(() => parseOrder(event)).toThrow();
    },
  );
});

describe('the versions of a secret', () => {
  function versionsOf(status: number, answer: unknown) {
    const asked: AwsRequest[] = [];
    const versions = createSecretVersions({
      identity: testIdentity(),
      post: async request => {
        asked.push(request);
        return { status, text: JSON.stringify(answer) };
      },
    });
    const sent = () =>
      asked.map(({ headers, body }) => ({ target: headers['x-amz-target'], ...JSON.parse(body ?? '{}') }));
    return { versions, sent };
  }

  it('are read by stage, and by version if one is given', async () => {
    const { versions, sent } = versionsOf(200, { SecretString: 'a value' });
    expect(await versions.value(secret, { stage: 'AWSCURRENT' })).toBe('a value');
    expect(await versions.value(secret, { stage: 'AWSPENDING', version: 'v2' })).toBe('a value');
    const target = 'secretsmanager.GetSecretValue';
    expect(sent()).toEqual([
      { target, SecretId: secret, VersionStage: 'AWSCURRENT' },
      { target, SecretId: secret, VersionStage: 'AWSPENDING', VersionId: 'v2' },
    ]);
  });

  it('may have no value yet', async () => {
    const { versions } = versionsOf(400, { __type: 'ResourceNotFoundException', Message: "can't find the value" });
    expect(await versions.value(secret, { stage: 'AWSPENDING', version: 'v2' })).toBeUndefined();
  });

  it('are not treated as missing if access is denied', async () => {
    const { versions } = versionsOf(400, { __type: 'AccessDeniedException' });
    await expect(versions.value(secret, { stage: 'AWSCURRENT' })).rejects.toThrow(
      `Reading secret ${secret} failed: 400 AccessDeniedException`,
    );
  });

  it('are found by their stage', async () => {
    const { versions } = versionsOf(200, { VersionIdsToStages: { v1: ['AWSPREVIOUS'], v2: ['AWSCURRENT'] } });
    expect(await versions.versionIn(secret, 'AWSCURRENT')).toBe('v2');
    expect(await versions.versionIn(secret, 'AWSPENDING')).toBeUndefined();
    await expect(versionsOf(200, []).versions.versionIn(secret, 'AWSCURRENT')).rejects.toThrow('has no versions');
  });

  it('are written and promoted', async () => {
    const { versions, sent } = versionsOf(200, {});
    await versions.put(secret, { version: 'v2', value: 'two lines', stage: 'AWSPENDING' });
    await versions.promote(secret, { version: 'v2', from: 'v1' });
    await versions.promote(secret, { version: 'v2', from: undefined });
    const promotion = {
      target: 'secretsmanager.UpdateSecretVersionStage',
      SecretId: secret,
      VersionStage: 'AWSCURRENT',
      MoveToVersionId: 'v2',
    };
    expect(sent()).toEqual([
      {
        target: 'secretsmanager.PutSecretValue',
        SecretId: secret,
        ClientRequestToken: 'v2',
        SecretString: 'two lines',
        VersionStages: ['AWSPENDING'],
      },
      { ...promotion, RemoveFromVersionId: 'v1' },
      promotion,
    ]);
  });
});
