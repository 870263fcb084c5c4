// Scenarios of the ClusterClass's behaviour: its variables, and those that extensions define.
import { describe, expect, it } from 'vitest';
import { aPlainClusterClass } from '../../../support/cluster-class.ts';
import {
  discovered,
  discovering,
  discoveringTwice,
  failed,
  failedPhase,
  listed,
  ready,
  stateOf,
  status,
  withExtension,
} from './discovered-classes.ts';
import { aWorld } from './reconciled-class.ts';

const aText = { name: 'a', schema: { type: 'string' } };

describe('variables of the class itself', () => {
  it('are listed by name', async () => {
    const reconciled = await aWorld(aPlainClusterClass().withVariables({ ...aText, name: 'b' }, aText)).settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toEqual([
      listed('a', { inline: { type: 'string' } }),
      listed('b', { inline: { type: 'string' } }),
    ]);
    expect(reconciled.v1beta1('VariablesReconciled')).toBe('True');
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('are absent from the status where there are none', async () => {
    const reconciled = await aWorld(aPlainClusterClass()).settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.object?.status).not.toHaveProperty('variables');
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('are removed from the status with the last of them', async () => {
    const world = aWorld(aPlainClusterClass().withVariables(aText));
    await world.settle();
    await world.change({ spec: { variables: null } });
    const reconciled = await world.settle();
    expect(reconciled.object?.status).not.toHaveProperty('variables');
    expect(stateOf(reconciled)).toEqual({ ...ready, observed: 2 });
  });

  it('keep all their fields', async () => {
    const schema = {
      type: 'object',
      description: 'A proxy.',
      'x-metadata': { labels: { e: 'f' } },
      default: { url: 'http://proxy.example', ports: [1, 2] },
      required: ['url'],
      properties: {
        url: { type: 'string', format: 'uri', 'x-metadata': { labels: { a: 'b' } } },
        ports: {
          type: 'array',
          maxItems: 3,
          items: { type: 'integer', minimum: 0, exclusiveMinimum: false },
        },
      },
      'x-kubernetes-validations': [{ rule: 'self.url != ""', message: 'empty', reason: 'FieldValueForbidden' }],
    };
    const deprecatedV1Beta1Metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
    const variable = { name: 'proxy', required: true, deprecatedV1Beta1Metadata, schema: { openAPIV3Schema: schema } };
    const world = aWorld(aPlainClusterClass().withSpec({ variables: [variable] }));
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual(ready);
    const { name, ...definition } = variable;
    expect(reconciled.variables).toEqual([
      { name, definitionsConflict: false, definitions: [{ from: 'inline', ...definition }] },
    ]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('that share a name: the last one counts, if admission accepted them', async () => {
    const again = { name: 'a', schema: { type: 'integer' } };
    const reconciled = await aWorld(aPlainClusterClass().withVariables(aText, again)).settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toEqual([listed('a', { inline: { type: 'integer' } })]);
  });

  describe('that are invalid', () => {
    const wrong = { name: 'builtin', schema: { type: 'string' } };
    const problem = 'spec.variables[builtin].name: Invalid value: "builtin": "builtin" is a reserved variable name';

    it('make the class unusable if admission did not reject them', async () => {
      const world = aWorld(aPlainClusterClass().withVariables(aText, wrong));
      const reconciled = await world.settle();
      expect(stateOf(reconciled)).toEqual({
        result: failedPhase(problem),
        variables: failed(problem),
        observed: undefined,
      });
      expect(reconciled.v1beta1('VariablesReconciled')).toBe(
        `False/Error/VariableDiscoveryFailed VariableDiscovery failed: ${problem}`,
      );
      expect(reconciled.variables).toBeUndefined();
      expect(reconciled.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
      expect((await world.settle()).writes).toEqual([]);
    });

    it('stay accepted if they were accepted before at this generation', async () => {
      const world = aWorld(aPlainClusterClass().withVariables(wrong));
      await world.changeStatus({
        conditions: ['VariablesReady', 'Paused'].map(type => ({
          type,
          status: type === 'Paused' ? 'False' : 'True',
          reason: type === 'Paused' ? 'NotPaused' : type,
          message: '',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
      });
      expect(stateOf(await world.settle())).toEqual(ready);
      await world.change({ spec: { workers: null, kubernetesVersions: ['v1.36.0'] } });
      expect((await world.settle()).condition('VariablesReady')).toBe(failed(problem));
    });

    it('are not listed beside those of extensions, which are not validated either', async () => {
      const world = withExtension(discovering.withVariables(wrong), { first: [discovered('b.c', { type: 'string' })] });
      const reconciled = await world.settle();
      expect(reconciled.condition('VariablesReady')).toBe(failed(problem));
      expect(world.hooks.calls).toHaveLength(1);
    });
  });
});

describe('variables that extensions define', () => {
  it('are listed under the name of the patch', async () => {
    const world = withExtension(discovering, { first: [discovered('b', { type: 'integer' })] });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toEqual([listed('b', { p1: { type: 'integer' } })]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('settle although the API server sets defaults and drops unknown fields', async () => {
    const rule = { rule: 'size(self) < 5' };
    const schema = {
      type: 'string',
      'x-kubernetes-validations': [rule],
      title: 'unknown',
      default: null,
      format: '',
      required: [],
    };
    const variable = discovered('b', schema, { definitionFrom: 'x', deprecatedV1Beta1Metadata: { labels: null } });
    const world = withExtension(discovering, { first: [variable] });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toEqual([
      listed('b', {
        p1: { type: 'string', 'x-kubernetes-validations': [{ ...rule, reason: 'FieldValueInvalid' }] },
      }),
    ]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('are listed in addition to an equal one of the class', async () => {
    const world = withExtension(discovering.withVariables(aText), { first: [discovered('a', { type: 'string' })] });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toEqual([listed('a', { inline: { type: 'string' }, p1: { type: 'string' } })]);
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('conflict with one of the class by a description only, and are listed anyway', async () => {
    const schema = { type: 'string', description: 'another' };
    const world = withExtension(discovering.withVariables(aText), { first: [discovered('a', schema)] });
    const reconciled = await world.settle();
    const problem = 'the following variables have conflicting schemas: a';
    expect(stateOf(reconciled)).toEqual({
      result: failedPhase(problem),
      variables: failed(problem),
      observed: undefined,
    });
    expect(reconciled.v1beta1('VariablesReconciled')).toBe(
      `False/Error/VariableDiscoveryFailed VariableDiscovery failed: ${problem}`,
    );
    expect(reconciled.variables).toEqual([listed('a', { inline: { type: 'string' }, p1: schema }, true)]);
    expect(reconciled.writes.at(-1)).toBe(status);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('report all conflicts together, by name', async () => {
    const inline = [{ ...aText, name: 'b' }, aText, { ...aText, name: 'c' }];
    const world = withExtension(discovering.withVariables(...inline), {
      first: ['b', 'a', 'c'].map(name => discovered(name, { type: name === 'c' ? 'string' : 'integer' })),
    });
    expect((await world.settle()).condition('VariablesReady')).toBe(
      failed('the following variables have conflicting schemas: a,b'),
    );
  });

  it.each([
    {
      reason: 'an absent required equals required: false',
      inline: {},
      reconciled: { required: undefined },
    },
    {
      reason: 'uniqueItems: false equals an absent one',
      inline: { uniqueItems: false },
      reconciled: { schema: { openAPIV3Schema: { type: 'array', items: { type: 'string' } } } },
    },
  ])('$reason', async ({ inline, reconciled: change }) => {
    const schema = { type: 'array', items: { type: 'string' }, ...inline };
    const clusterClass = discovering.withVariables({ name: 'a', schema });
    const reconciled = await withExtension(clusterClass, { first: [discovered('a', schema, change)] }).settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toMatchObject([{ name: 'a', definitionsConflict: false }]);
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('stay in conflict when a third definition agrees with the first', async () => {
    const world = withExtension(discoveringTwice.withVariables(aText), {
      first: [discovered('a', { type: 'integer' })],
      second: [discovered('a', { type: 'string' })],
    });
    const reconciled = await world.settle();
    expect(reconciled.variables).toMatchObject([{ definitionsConflict: true, definitions: [{}, {}, {}] }]);
    expect(stateOf(reconciled).variables).toBe(failed('the following variables have conflicting schemas: a'));
    expect(reconciled.result).toContain('conflicting');
    expect(reconciled.writes.at(-1)).toBe(status);
  });
});
