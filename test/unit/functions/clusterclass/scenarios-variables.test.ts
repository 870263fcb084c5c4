// Scenarios of the ClusterClass's behaviour: its variables, and those that extensions define.
import { describe, expect, it } from 'vitest';
import { aPlainClusterClass } from '../../../support/cluster-class.ts';
import {
  anExtension,
  aWorld,
  classRef,
  extensionUrl,
  type Told,
  tells,
  type World,
  type WorldOptions,
} from './world.ts';

const aText = { name: 'a', schema: { type: 'string' } };
const status = 'patch ClusterClass ns/cc status';
const failed = (message: string): string => `False/VariableDiscoveryFailed VariableDiscovery failed: ${message}`;
const failedPhase = (message: string): string => `failed to discover variables for ClusterClass cc: ${message}`;

/** What a status lists for a variable with one definition for each source. */
function listed(name: string, definitions: Readonly<Record<string, unknown>>, definitionsConflict = false) {
  return {
    name,
    definitionsConflict,
    definitions: Object.entries(definitions).map(([from, schema]) => ({
      from,
      required: false,
      schema: { openAPIV3Schema: schema },
    })),
  };
}

function discovered(name: string, schema: unknown, more = {}) {
  return { name, required: false, schema: { openAPIV3Schema: schema }, ...more };
}

/** Its templates are in order, and `ext1` serves these handlers with these variables. */
function withExtension(
  clusterClass: ReturnType<typeof aPlainClusterClass>,
  answers: Readonly<Record<string, readonly unknown[]>>,
  options: WorldOptions = {},
): World {
  const world = aWorld(clusterClass, options);
  world.api.given(anExtension('first', 'second'));
  for (const [handler, variables] of Object.entries(answers)) {
    tells(world.hooks, handler, variables);
  }
  return world;
}

const discovering = aPlainClusterClass().discovering({ p1: 'first.ext1' });
const discoveringTwice = aPlainClusterClass().discovering({ p1: 'first.ext1', p2: 'second.ext1' });

function stateOf(told: Told) {
  return { result: told.result, variables: told.condition('VariablesReady'), observed: told.observedGeneration };
}

const ready = { result: 'done', variables: 'True/VariablesReady', observed: 1 };

describe('variables of the class itself', () => {
  it('scenario 22: are listed by name', async () => {
    const told = await aWorld(aPlainClusterClass().withVariables({ ...aText, name: 'b' }, aText)).settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toEqual([
      listed('a', { inline: { type: 'string' } }),
      listed('b', { inline: { type: 'string' } }),
    ]);
    expect(told.v1beta1('VariablesReconciled')).toBe('True');
    expect(told.writes.at(-1)).toBe(status);
  });

  it('scenario 23: are absent from the status where there are none', async () => {
    const told = await aWorld(aPlainClusterClass()).settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.object?.status).not.toHaveProperty('variables');
    expect(told.writes.at(-1)).toBe(status);
  });

  it('go from the status with the last of them', async () => {
    const world = aWorld(aPlainClusterClass().withVariables(aText));
    await world.settle();
    await world.change({ spec: { variables: null } });
    const told = await world.settle();
    expect(told.object?.status).not.toHaveProperty('variables');
    expect(stateOf(told)).toEqual({ ...ready, observed: 2 });
  });

  it('keep everything that they say', async () => {
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
    const told = await world.settle();
    expect(stateOf(told)).toEqual(ready);
    const { name, ...definition } = variable;
    expect(told.variables).toEqual([
      { name, definitionsConflict: false, definitions: [{ from: 'inline', ...definition }] },
    ]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('that have one name: the last one counts, where admission let them in', async () => {
    const again = { name: 'a', schema: { type: 'integer' } };
    const told = await aWorld(aPlainClusterClass().withVariables(aText, again)).settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toEqual([listed('a', { inline: { type: 'integer' } })]);
  });

  describe('that are wrong', () => {
    const wrong = { name: 'builtin', schema: { type: 'string' } };
    const problem = 'spec.variables[builtin].name: Invalid value: "builtin": "builtin" is a reserved variable name';

    it('make the class unusable where no admission refused them', async () => {
      const world = aWorld(aPlainClusterClass().withVariables(aText, wrong));
      const told = await world.settle();
      expect(stateOf(told)).toEqual({ result: failedPhase(problem), variables: failed(problem), observed: undefined });
      expect(told.v1beta1('VariablesReconciled')).toBe(
        `False/Error/VariableDiscoveryFailed VariableDiscovery failed: ${problem}`,
      );
      expect(told.variables).toBeUndefined();
      expect(told.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
      expect((await world.settle()).writes).toEqual([]);
    });

    it('stay accepted where whoever reconciled the class before has accepted them', async () => {
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

    it('are not told beside what extensions define, which is not checked either', async () => {
      const world = withExtension(discovering.withVariables(wrong), { first: [discovered('b.c', { type: 'string' })] });
      const told = await world.settle();
      expect(told.condition('VariablesReady')).toBe(failed(problem));
      expect(world.hooks.calls).toHaveLength(1);
    });
  });
});

describe('variables that extensions define', () => {
  it('are listed under the name of the patch', async () => {
    const world = withExtension(discovering, { first: [discovered('b', { type: 'integer' })] });
    const told = await world.settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toEqual([listed('b', { p1: { type: 'integer' } })]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('settle although the API server fills in defaults and drops what it does not know', async () => {
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
    const told = await world.settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toEqual([
      listed('b', {
        p1: { type: 'string', 'x-kubernetes-validations': [{ ...rule, reason: 'FieldValueInvalid' }] },
      }),
    ]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('scenario 24: stand beside an equal one of the class', async () => {
    const world = withExtension(discovering.withVariables(aText), { first: [discovered('a', { type: 'string' })] });
    const told = await world.settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toEqual([listed('a', { inline: { type: 'string' }, p1: { type: 'string' } })]);
    expect(told.writes.at(-1)).toBe(status);
  });

  it('scenario 25: contradict one of the class by a description alone, and are listed all the same', async () => {
    const schema = { type: 'string', description: 'another' };
    const world = withExtension(discovering.withVariables(aText), { first: [discovered('a', schema)] });
    const told = await world.settle();
    const problem = 'the following variables have conflicting schemas: a';
    expect(stateOf(told)).toEqual({ result: failedPhase(problem), variables: failed(problem), observed: undefined });
    expect(told.v1beta1('VariablesReconciled')).toBe(
      `False/Error/VariableDiscoveryFailed VariableDiscovery failed: ${problem}`,
    );
    expect(told.variables).toEqual([listed('a', { inline: { type: 'string' }, p1: schema }, true)]);
    expect(told.writes.at(-1)).toBe(status);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('tell all contradictions at once, by name', async () => {
    const inline = [{ ...aText, name: 'b' }, aText, { ...aText, name: 'c' }];
    const world = withExtension(discovering.withVariables(...inline), {
      first: ['b', 'a', 'c'].map(name => discovered(name, { type: name === 'c' ? 'string' : 'integer' })),
    });
    expect((await world.settle()).condition('VariablesReady')).toBe(
      failed('the following variables have conflicting schemas: a,b'),
    );
  });

  it.each([
    { reason: 'scenario 26: no required says the same as required: false', inline: {}, told: { required: undefined } },
    {
      reason: 'scenario 27: uniqueItems: false says the same as none',
      inline: { uniqueItems: false },
      told: { schema: { openAPIV3Schema: { type: 'array', items: { type: 'string' } } } },
    },
  ])('$reason', async ({ inline, told: change }) => {
    const schema = { type: 'array', items: { type: 'string' }, ...inline };
    const clusterClass = discovering.withVariables({ name: 'a', schema });
    const told = await withExtension(clusterClass, { first: [discovered('a', schema, change)] }).settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toMatchObject([{ name: 'a', definitionsConflict: false }]);
    expect(told.writes.at(-1)).toBe(status);
  });

  it('scenario 28: stay contradictory when a third definition agrees with the first', async () => {
    const world = withExtension(discoveringTwice.withVariables(aText), {
      first: [discovered('a', { type: 'integer' })],
      second: [discovered('a', { type: 'string' })],
    });
    const told = await world.settle();
    expect(told.variables).toMatchObject([{ definitionsConflict: true, definitions: [{}, {}, {}] }]);
    expect(stateOf(told).variables).toBe(failed('the following variables have conflicting schemas: a'));
    expect(told.result).toContain('conflicting');
    expect(told.writes.at(-1)).toBe(status);
  });
});

describe('an extension that does not answer', () => {
  const refused = (patch: string, handler: string): string =>
    `failed to call DiscoverVariables for patch ${patch}: failed to call extension handler "${handler}.ext1": http call failed: Post "${extensionUrl}/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovervariables/${handler}?timeout=10s": connection refused`;

  function breaks({ hooks }: World, handler: string): void {
    hooks.answer(extensionUrl, `discovervariables/${handler}`, { unreachable: 'connection refused' });
  }

  it('scenario 29: leaves the variables of before', async () => {
    const world = withExtension(discovering, { first: [discovered('b', { type: 'integer' })] });
    await world.settle();
    breaks(world, 'first');
    await world.api.clock.advance(11 * 60_000);
    await world.change({ spec: { variables: [discovered('c', { type: 'string' })] } });
    const told = await world.settle();
    const problem = refused('p1', 'first');
    expect(stateOf(told)).toEqual({ result: failedPhase(problem), variables: failed(problem), observed: 1 });
    expect(told.variables).toEqual([listed('b', { p1: { type: 'integer' } })]);
    expect(told.writes).toEqual([status]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('does no harm any more once it answers again', async () => {
    const world = withExtension(discovering, {});
    breaks(world, 'first');
    expect((await world.settle()).result).toContain('connection refused');
    tells(world.hooks, 'first', [discovered('b', { type: 'integer' })]);
    const told = await world.settle();
    expect(stateOf(told)).toEqual(ready);
    expect(told.v1beta1('VariablesReconciled')).toBe('True');
  });

  it('scenario 30: does not keep others from being asked, whose answers do not count', async () => {
    const world = withExtension(discoveringTwice, { second: [discovered('b.c', { type: 'integer' })] });
    breaks(world, 'first');
    const told = await world.settle();
    expect(world.hooks.calls.map(({ url }) => /discovervariables\/(\w+)/.exec(url)?.[1])).toEqual(['first', 'second']);
    expect(told.condition('VariablesReady')).toBe(failed(refused('p1', 'first')));
    expect(told.variables).toBeUndefined();
    expect(told.result).toBe(failedPhase(refused('p1', 'first')));
    expect(told.writes.at(-1)).toBe(status);
  });

  it('scenario 31: is told beside another one', async () => {
    const world = withExtension(discoveringTwice, {});
    breaks(world, 'first');
    breaks(world, 'second');
    const told = await world.settle();
    const problem = `[${refused('p1', 'first')}, ${refused('p2', 'second')}]`;
    expect(stateOf(told)).toEqual({ result: failedPhase(problem), variables: failed(problem), observed: undefined });
    expect(told.writes.at(-1)).toBe(status);
  });

  it('is told when nobody serves the handler', async () => {
    const told = await aWorld(discovering).settle();
    expect(told.condition('VariablesReady')).toBe(
      failed(
        'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": failed to get extension handler "first.ext1" from registry: handler with name "first.ext1" has not been registered',
      ),
    );
  });

  it('is told when it answers with a failure', async () => {
    const world = withExtension(discovering, {});
    world.hooks.answer(extensionUrl, 'discovervariables/first', { body: { status: 'Failure', message: 'no idea' } });
    expect((await world.settle()).condition('VariablesReady')).toBe(
      failed(
        'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": got failure response with message: no idea',
      ),
    );
  });
});

describe('an extension that answers nonsense', () => {
  it('scenario 32: is told where its schema is wrong', async () => {
    const world = withExtension(discovering, { first: [discovered('x', { type: 'invalidType' })] });
    const told = await world.settle();
    expect(told.condition('VariablesReady')).toBe(
      failed(
        'p1.variables[x].schema.openAPIV3Schema.type: Unsupported value: "invalidType": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ),
    );
    expect(told.variables).toBeUndefined();
    expect(told.result).toContain('p1.variables[x].schema.openAPIV3Schema');
    expect(told.writes.at(-1)).toBe(status);
  });

  it('scenario 33: is told when it repeats a name', async () => {
    const world = withExtension(discovering, { first: [discovered('x', { type: 'string' }), discovered('x', {})] });
    const told = await world.settle();
    expect(told.condition('VariablesReady')).toContain(
      'p1.variables[x].name: Invalid value: "x": variable name must be unique. Variable with name "x" is defined more than once',
    );
    expect(told.result).toContain('defined more than once');
    expect(told.writes.at(-1)).toBe(status);
  });

  it('is told when its variables cannot be read', async () => {
    const world = withExtension(discovering, {});
    const body = { status: 'Success', variables: [discovered('x', { type: 'string', maxLength: 'many' })] };
    world.hooks.answer(extensionUrl, 'discovervariables/first', { body });
    const { result } = await world.settle();
    expect(result).toContain('failed to call DiscoverVariables for patch p1: ');
    expect(result).toContain('maxLength');
  });
});

describe('whether an extension is asked at all', () => {
  it('scenario 34: not without RuntimeSDK', async () => {
    const world = withExtension(discovering, {}, { settings: { callsExtensions: false } });
    const told = await world.settle();
    expect(stateOf(told)).toEqual(ready);
    expect(world.hooks.calls).toEqual([]);
    expect(told.writes.at(-1)).toBe(status);
  });

  it('not for patches that only generate', async () => {
    const world = withExtension(
      aPlainClusterClass().withSpec({
        patches: [{ name: 'p1', external: { generatePatchesExtension: 'first.ext1' } }],
      }),
      {},
    );
    expect((await world.settle()).condition('VariablesReady')).toBe('True/VariablesReady');
    expect(world.hooks.calls).toEqual([]);
  });

  it('scenario 35: not outside the namespaces that its ExtensionConfig selects', async () => {
    const world = aWorld(discovering);
    world.api.given(anExtension('first').withSpec({ namespaceSelector: { matchLabels: { for: 'others' } } }));
    const told = await world.settle();
    const problem =
      'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": namespaceSelector did not match object ns/cc';
    expect(stateOf(told)).toEqual({ result: failedPhase(problem), variables: failed(problem), observed: undefined });
    expect(world.hooks.calls).toEqual([]);
    expect(told.writes.at(-1)).toBe(status);
    await world.change(
      { metadata: { labels: { for: 'others' } } },
      { apiVersion: 'v1', kind: 'Namespace', name: 'ns' },
    );
    tells(world.hooks, 'first', []);
    expect((await world.settle()).condition('VariablesReady')).toBe('True/VariablesReady');
  });

  it('scenario 36: once for all classes that ask the same within ten minutes', async () => {
    const world = withExtension(discovering, { first: [discovered('b', { type: 'integer' })] });
    world.api.given(discovering.named('twin'));
    await world.settle();
    const told = await world.settle({ ...classRef, name: 'twin' });
    expect(stateOf(told)).toEqual(ready);
    expect(told.variables).toEqual([listed('b', { p1: { type: 'integer' } })]);
    expect(world.hooks.calls).toHaveLength(1);
    await world.api.clock.advance(10 * 60_000);
    expect((await world.settle()).writes).toEqual([]);
    expect(world.hooks.calls).toHaveLength(2);
  });

  it('with the settings of the patch over those of the ExtensionConfig', async () => {
    const settings = { both: 'patch', patch: 'patch' };
    const world = aWorld(aPlainClusterClass().discovering({ p1: 'first.ext1' }, settings));
    world.api.given(anExtension('first').withSpec({ settings: { both: 'config', config: 'config' } }));
    tells(world.hooks, 'first', []);
    await world.settle();
    expect(world.hooks.calls.map(({ body }) => body)).toEqual([
      {
        apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
        kind: 'DiscoverVariablesRequest',
        settings: { both: 'patch', patch: 'patch', config: 'config' },
      },
    ]);
  });

  it('asks each handler in the order of the patches, and lists what they define in that order', async () => {
    const world = withExtension(aPlainClusterClass().discovering({ z: 'second.ext1', y: 'first.ext1' }), {
      first: [discovered('b', { type: 'integer' })],
      second: [discovered('b', { type: 'integer' })],
    });
    expect((await world.settle()).variables).toEqual([listed('b', { z: { type: 'integer' }, y: { type: 'integer' } })]);
  });

  it('still lists nothing that the class could not be told: an unreadable list of ExtensionConfigs', async () => {
    const world = withExtension(discovering, {});
    world.api.calls.fail({
      at: ({ verb }) => verb === 'list',
      failure: { reason: 'Forbidden', message: 'not for you' },
    });
    expect((await world.settle()).condition('VariablesReady')).toBe(
      failed(
        'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": failed to list ExtensionConfigs: not for you',
      ),
    );
  });
});
