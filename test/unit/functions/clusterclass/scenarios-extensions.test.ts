// Scenarios of the ClusterClass's behaviour: calls of the extensions that define variables, and invalid or missing answers.
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
import {
  anExtension,
  answerVariables,
  aWorld,
  type ClusterClassWorld,
  classRef,
  extensionUrl,
} from './reconciled-class.ts';

describe('an extension that does not answer', () => {
  const refused = (patch: string, handler: string): string =>
    `failed to call DiscoverVariables for patch ${patch}: failed to call extension handler "${handler}.ext1": http call failed: Post "${extensionUrl}/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovervariables/${handler}?timeout=10s": connection refused`;

  function breaks({ hooks }: ClusterClassWorld, handler: string): void {
    hooks.answer(extensionUrl, `discovervariables/${handler}`, { unreachable: 'connection refused' });
  }

  it('keeps the stored variables', async () => {
    const world = withExtension(discovering, { first: [discovered('b', { type: 'integer' })] });
    await world.settle();
    breaks(world, 'first');
    await world.api.clock.advance(11 * 60_000);
    await world.change({ spec: { variables: [discovered('c', { type: 'string' })] } });
    const reconciled = await world.settle();
    const problem = refused('p1', 'first');
    expect(stateOf(reconciled)).toEqual({ result: failedPhase(problem), variables: failed(problem), observed: 1 });
    expect(reconciled.variables).toEqual([listed('b', { p1: { type: 'integer' } })]);
    expect(reconciled.writes).toEqual([status]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('is forgotten once it answers again', async () => {
    const world = withExtension(discovering, {});
    breaks(world, 'first');
    expect((await world.settle()).result).toContain('connection refused');
    answerVariables(world.hooks, 'first', [discovered('b', { type: 'integer' })]);
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.v1beta1('VariablesReconciled')).toBe('True');
  });

  it('does not prevent calls of others, whose answers do not count', async () => {
    const world = withExtension(discoveringTwice, { second: [discovered('b.c', { type: 'integer' })] });
    breaks(world, 'first');
    const reconciled = await world.settle();
    expect(world.hooks.calls.map(({ url }) => /discovervariables\/(\w+)/.exec(url)?.[1])).toEqual(['first', 'second']);
    expect(reconciled.condition('VariablesReady')).toBe(failed(refused('p1', 'first')));
    expect(reconciled.variables).toBeUndefined();
    expect(reconciled.result).toBe(failedPhase(refused('p1', 'first')));
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('is reported together with another one', async () => {
    const world = withExtension(discoveringTwice, {});
    breaks(world, 'first');
    breaks(world, 'second');
    const reconciled = await world.settle();
    const problem = `[${refused('p1', 'first')}, ${refused('p2', 'second')}]`;
    expect(stateOf(reconciled)).toEqual({
      result: failedPhase(problem),
      variables: failed(problem),
      observed: undefined,
    });
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('is reported when no extension has the handler', async () => {
    const reconciled = await aWorld(discovering).settle();
    expect(reconciled.condition('VariablesReady')).toBe(
      failed(
        'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": failed to get extension handler "first.ext1" from registry: handler with name "first.ext1" has not been registered',
      ),
    );
  });

  it('is reported when it answers with a failure', async () => {
    const world = withExtension(discovering, {});
    world.hooks.answer(extensionUrl, 'discovervariables/first', { body: { status: 'Failure', message: 'no idea' } });
    expect((await world.settle()).condition('VariablesReady')).toBe(
      failed(
        'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": got failure response with message: no idea',
      ),
    );
  });
});

describe('an extension with an invalid answer', () => {
  it('is reported with the path in its schema', async () => {
    const world = withExtension(discovering, { first: [discovered('x', { type: 'invalidType' })] });
    const reconciled = await world.settle();
    expect(reconciled.condition('VariablesReady')).toBe(
      failed(
        'p1.variables[x].schema.openAPIV3Schema.type: Unsupported value: "invalidType": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ),
    );
    expect(reconciled.variables).toBeUndefined();
    expect(reconciled.result).toContain('p1.variables[x].schema.openAPIV3Schema');
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('is reported when it repeats a name', async () => {
    const world = withExtension(discovering, { first: [discovered('x', { type: 'string' }), discovered('x', {})] });
    const reconciled = await world.settle();
    expect(reconciled.condition('VariablesReady')).toContain(
      'p1.variables[x].name: Invalid value: "x": variable name must be unique. Variable with name "x" is defined more than once',
    );
    expect(reconciled.result).toContain('defined more than once');
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('is reported when its variables cannot be read', async () => {
    const world = withExtension(discovering, {});
    const body = { status: 'Success', variables: [discovered('x', { type: 'string', maxLength: 'many' })] };
    world.hooks.answer(extensionUrl, 'discovervariables/first', { body });
    const { result } = await world.settle();
    expect(result).toContain('failed to call DiscoverVariables for patch p1: ');
    expect(result).toContain('maxLength');
  });
});

describe('calls of extensions', () => {
  it('need RuntimeSDK', async () => {
    const world = withExtension(discovering, {}, { settings: { callsExtensions: false } });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual(ready);
    expect(world.hooks.calls).toEqual([]);
    expect(reconciled.writes.at(-1)).toBe(status);
  });

  it('are not called for patches that only generate', async () => {
    const world = withExtension(
      aPlainClusterClass().withSpec({
        patches: [{ name: 'p1', external: { generatePatchesExtension: 'first.ext1' } }],
      }),
      {},
    );
    expect((await world.settle()).condition('VariablesReady')).toBe('True/VariablesReady');
    expect(world.hooks.calls).toEqual([]);
  });

  it('are not called outside the namespaces that the ExtensionConfig selects', async () => {
    const world = aWorld(discovering);
    world.api.given(anExtension('first').withSpec({ namespaceSelector: { matchLabels: { for: 'others' } } }));
    const reconciled = await world.settle();
    const problem =
      'failed to call DiscoverVariables for patch p1: failed to call extension handler "first.ext1": namespaceSelector did not match object ns/cc';
    expect(stateOf(reconciled)).toEqual({
      result: failedPhase(problem),
      variables: failed(problem),
      observed: undefined,
    });
    expect(world.hooks.calls).toEqual([]);
    expect(reconciled.writes.at(-1)).toBe(status);
    await world.change(
      { metadata: { labels: { for: 'others' } } },
      { apiVersion: 'v1', kind: 'Namespace', name: 'ns' },
    );
    answerVariables(world.hooks, 'first', []);
    expect((await world.settle()).condition('VariablesReady')).toBe('True/VariablesReady');
  });

  it('are called once for all classes with the same request within ten minutes', async () => {
    const world = withExtension(discovering, { first: [discovered('b', { type: 'integer' })] });
    world.api.given(discovering.named('twin'));
    await world.settle();
    const reconciled = await world.settle({ ...classRef, name: 'twin' });
    expect(stateOf(reconciled)).toEqual(ready);
    expect(reconciled.variables).toEqual([listed('b', { p1: { type: 'integer' } })]);
    expect(world.hooks.calls).toHaveLength(1);
    await world.api.clock.advance(10 * 60_000);
    expect((await world.settle()).writes).toEqual([]);
    expect(world.hooks.calls).toHaveLength(2);
  });

  it('have the settings of the patch over those of the ExtensionConfig', async () => {
    const settings = { both: 'patch', patch: 'patch' };
    const world = aWorld(aPlainClusterClass().discovering({ p1: 'first.ext1' }, settings));
    world.api.given(anExtension('first').withSpec({ settings: { both: 'config', config: 'config' } }));
    answerVariables(world.hooks, 'first', []);
    await world.settle();
    expect(world.hooks.calls.map(({ body }) => body)).toEqual([
      {
        apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
        kind: 'DiscoverVariablesRequest',
        settings: { both: 'patch', patch: 'patch', config: 'config' },
      },
    ]);
  });

  it('are called in the order of the patches, and their variables are listed in this order', async () => {
    const world = withExtension(aPlainClusterClass().discovering({ z: 'second.ext1', y: 'first.ext1' }), {
      first: [discovered('b', { type: 'integer' })],
      second: [discovered('b', { type: 'integer' })],
    });
    expect((await world.settle()).variables).toEqual([listed('b', { z: { type: 'integer' }, y: { type: 'integer' } })]);
  });

  it('are not called without a list of ExtensionConfigs, and no variables are listed', async () => {
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
