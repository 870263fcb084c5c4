import type { Intent, JsonObject, ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { compareDryRuns, toDryRuns } from '../../../../../../functions/topology/plan/intent/dry-run.ts';

const kind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'GenericMachineTemplate' } as const;
const mark = 'topology.cluster.x-k8s.io/dry-run';
const conversionData = 'cluster.x-k8s.io/conversion-data';

function entry(fieldsV1: JsonObject, change: JsonObject = {}): JsonObject {
  const { apiVersion } = kind;
  return { manager: 'capi-topology', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1, ...change };
}

const fields = { 'f:spec': { 'f:size': {} } };

function stored(spec: unknown, metadata: JsonObject = {}, entries = [entry(fields)]): Unstructured {
  const whole: ObjectMeta & JsonObject = {
    ...{ name: 'm', namespace: 'ns1', uid: 'u', resourceVersion: '7' },
    ...metadata,
    managedFields: entries,
  };
  return { ...kind, metadata: whole, ...(spec === undefined ? {} : { spec }) };
}

describe('the objects to try', () => {
  it('are the intent and the current object, both marked as a dry run', () => {
    const intent: Intent = {
      ...kind,
      metadata: { name: 'm', namespace: 'ns1', annotations: { a: 'b' } },
      spec: { size: 's' },
    };
    const current = {
      ...stored({ size: 's', endpoint: { port: 0 } }, { labels: { l: '' }, generation: 4 }),
      status: {},
    };
    expect(toDryRuns(intent, current, [['spec', 'endpoint', 'port']])).toEqual({
      modified: { ...intent, metadata: { ...intent.metadata, annotations: { a: 'b', [mark]: '' } } },
      original: {
        ...kind,
        metadata: { name: 'm', namespace: 'ns1', labels: { l: '' }, annotations: { [mark]: '' } },
        spec: { size: 's' },
      },
    });
    expect(toDryRuns(intent, stored(undefined)).original).not.toHaveProperty('spec');
  });
});

describe('the answers', () => {
  const current = stored({ size: 's' });
  const original = stored({ size: 's' }, { annotations: { [mark]: '' } }, []);
  const tried = entry({ ...fields, 'f:metadata': { 'f:annotations': { [`f:${mark}`]: {} } } }, { time: 'now' });

  it.each([
    {
      reason: 'nothing',
      modified: stored({ size: 's' }, { annotations: { [mark]: '' } }, [tried]),
      changes: false,
      specChanges: false,
    },
    {
      reason: 'nothing where the server converts, counts, or others own something',
      modified: stored({ size: 's' }, { annotations: { [mark]: '', [conversionData]: '{}' }, generation: 9 }, [
        tried,
        entry({ 'f:spec': {} }, { manager: 'kubectl' }),
        entry({ 'f:spec': {} }, { operation: 'Update' }),
      ]),
      changes: false,
      specChanges: false,
    },
    { reason: 'a label', modified: stored({ size: 's' }, { labels: { a: 'b' } }), changes: true, specChanges: false },
    {
      reason: 'an annotation',
      modified: stored({ size: 's' }, { annotations: { a: 'b' } }),
      changes: true,
      specChanges: false,
    },
    {
      reason: 'who owns a field',
      modified: stored({ size: 's' }, {}, [entry({ 'f:spec': { 'f:size': {}, 'f:zone': {} } })]),
      changes: true,
      specChanges: false,
    },
    {
      reason: 'in which version it is owned',
      modified: stored({ size: 's' }, {}, [entry(fields, { apiVersion: 'infrastructure.cluster.x-k8s.io/v1' })]),
      changes: true,
      specChanges: false,
    },
    { reason: 'the spec', modified: stored({ size: 'l' }), changes: true, specChanges: true },
    { reason: 'the spec, which goes', modified: stored(undefined), changes: true, specChanges: true },
  ])('report: $reason changes', ({ modified, changes, specChanges }) => {
    expect(compareDryRuns({ modified, original }, current)).toEqual({ changes, specChanges });
  });

  it('ignore the ignored paths', () => {
    const modified = stored({ size: 's', endpoint: { port: 1 } });
    expect(compareDryRuns({ modified, original }, current, [['spec', 'endpoint']]).changes).toBe(false);
    expect(compareDryRuns({ modified, original }, current).changes).toBe(true);
  });
});
