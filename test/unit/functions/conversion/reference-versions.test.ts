import type { Answer, ObjectMeta } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { ReferenceVersions } from '../../../../functions/conversion/reference-versions.ts';
import type { ApiVersionOf } from '../../../../shared/conversion/conversion.ts';
import { ReviewReadError } from '../../../../shared/lambda/review-read-error.ts';

const group = 'infra.example.com';
const minuteMs = 60_000;

/** An API server with the CRDs of providers. */
class Definitions {
  readonly labels = new Map<string, Readonly<Record<string, string>>>();
  /** The names that were read, in order. */
  readonly reads: string[] = [];
  connections = 0;
  now = 0;
  failure: string | undefined;
  readonly versions = new ReferenceVersions({ now: () => this.now, sleep: async () => undefined });

  async #metadata(name: string): Promise<Answer<ObjectMeta>> {
    this.reads.push(name);
    if (this.failure !== undefined) {
      return { ok: false, missing: false, failure: { reason: 'InternalError', code: 500, message: this.failure } };
    }
    const labels = this.labels.get(name);
    return labels === undefined
      ? { ok: false, missing: true, failure: { reason: 'NotFound', code: 404, message: `${name} is not here` } }
      : { ok: true, value: { name, uid: name, resourceVersion: '1', labels } };
  }

  resolve<T>(convert: (apiVersionOf: ApiVersionOf) => T): Promise<T> {
    const connect = async () => {
      this.connections += 1;
      return { metadata: ({ name }: { readonly name: string }) => this.#metadata(name) };
    };
    return this.versions.resolve(connect, convert);
  }

  async versionsOf(...kinds: readonly string[]): Promise<readonly string[]> {
    const answers = await this.resolve(apiVersionOf => kinds.map(kind => apiVersionOf(group, kind)));
    return answers.map(answer => (answer.ok ? answer.value : answer.error));
  }
}

let definitions: Definitions;

beforeEach(() => {
  definitions = new Definitions();
  definitions.labels.set(`amachines.${group}`, { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2' });
  definitions.labels.set(`olds.${group}`, { 'cluster.x-k8s.io/v1beta1': 'v1alpha4' });
  definitions.labels.set(`plains.${group}`, {});
});

const missing = (kind: string, name: string): string =>
  `failed to get apiVersion for kind ${kind}: failed to get CustomResourceDefinition metadata: CustomResourceDefinition.apiextensions.k8s.io "${name}.${group}" not found`;

describe('the version of a kind in references', () => {
  it('is that of the labels of its CRD, the newest contract first', async () => {
    expect(await definitions.versionsOf('AMachine', 'Old')).toEqual([`${group}/v1beta2`, `${group}/v1alpha4`]);
  });

  it('has the errors of upstream', async () => {
    const [none, plain] = await definitions.versionsOf('None', 'Plain');
    expect(none).toBe(missing('None', 'nones'));
    expect(plain).toContain('failed to get apiVersion for kind Plain: cannot find any versions matching contract');
  });

  it('is not read if nothing is referred to', async () => {
    expect(await definitions.resolve(() => 'converted')).toBe('converted');
    expect(definitions.connections).toBe(0);
  });

  it('is read once for all objects of a review', async () => {
    await definitions.versionsOf('AMachine', 'Old', 'AMachine', 'Old');
    expect(definitions.reads).toEqual([`amachines.${group}`, `olds.${group}`]);
    expect(definitions.connections).toBe(1);
  });
});

describe('what was read', () => {
  it('is kept for five minutes, and then read again', async () => {
    await definitions.versionsOf('AMachine');
    definitions.now = 5 * minuteMs - 1;
    definitions.labels.set(`amachines.${group}`, { 'cluster.x-k8s.io/v1beta2': 'v1' });
    expect(await definitions.versionsOf('AMachine')).toEqual([`${group}/v1beta2`]);
    expect(definitions.reads).toHaveLength(1);
    definitions.now = 5 * minuteMs;
    expect(await definitions.versionsOf('AMachine')).toEqual([`${group}/v1`]);
    expect(definitions.reads).toHaveLength(2);
  });

  it('is forgotten after half a minute if there was no CRD', async () => {
    await definitions.versionsOf('None');
    definitions.labels.set(`nones.${group}`, { 'cluster.x-k8s.io/v1beta2': 'v1' });
    definitions.now = minuteMs / 2 - 1;
    expect(await definitions.versionsOf('None')).toEqual([missing('None', 'nones')]);
    definitions.now = minuteMs / 2;
    expect(await definitions.versionsOf('None')).toEqual([`${group}/v1`]);
  });

  it('is not kept if the API server failed', async () => {
    definitions.failure = 'no quorum';
    expect(await definitions.versionsOf('AMachine')).toEqual([
      'failed to get apiVersion for kind AMachine: failed to get CustomResourceDefinition metadata: no quorum',
    ]);
    definitions.failure = undefined;
    expect(await definitions.versionsOf('AMachine')).toEqual([`${group}/v1beta2`]);
  });

  it('is a thousand CRDs at most: the oldest is read again', async () => {
    const kinds = Array.from({ length: 1_000 }, (_, index) => `Kind${index}`);
    await definitions.versionsOf('AMachine');
    for (let start = 0; start < kinds.length; start += 100) {
      await definitions.versionsOf(...kinds.slice(start, start + 100));
    }
    expect(definitions.reads).toHaveLength(1_001);
    await definitions.versionsOf('Kind0', 'Kind999');
    expect(definitions.reads).toHaveLength(1_001);
    await definitions.versionsOf('AMachine');
    expect(definitions.reads).toHaveLength(1_002);
  });
});

it('a review with more than a hundred unknown kinds is refused without a read', async () => {
  const kinds = Array.from({ length: 101 }, (_, index) => `Kind${index}`);
  await expect(definitions.versionsOf(...kinds)).rejects.toThrow(
    new ReviewReadError('the objects refer to 101 unknown kinds; 100 are the limit'),
  );
  expect(definitions.connections).toBe(0);
});
