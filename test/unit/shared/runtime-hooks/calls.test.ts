import { describe, expect, it } from 'vitest';
import { readExtensionConfig } from '../../../../shared/api/extension-config/reader.ts';
import {
  afterControlPlaneInitialized,
  beforeClusterCreate,
  discoverVariables,
} from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { aCluster } from '../../../support/builders.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { fakeHooks } from '../../../support/fake-hooks.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import { aDiscovered, aNamespace, aWorld, errorOf, extensionUrl, subject } from './hook-calling-pass.ts';

const creating = { name: 'x', hook: 'BeforeClusterCreate' };
const onlyBlue = { namespaceSelector: { matchLabels: { team: 'blue' } } };
const ofCluster = { object: subject, request: { cluster: aCluster().build() } };
const success = { body: { status: 'Success', message: 'fine' } };
const ofAll = 'failed to call extension handlers for hook "BeforeClusterCreate.hooks.runtime.cluster.x-k8s.io": ';
const ofOne = 'failed to call extension handler "x.ext1"';

describe('before a call', () => {
  it('a handler must be registered', async () => {
    const { calls } = aWorld([aDiscovered([creating])]);
    const answer = await calls.callNamed(beforeClusterCreate, 'other.ext1', ofCluster);
    expect(answer).toEqual({
      ok: false,
      why: 'handler',
      error:
        'failed to call extension handler "other.ext1": failed to get extension handler "other.ext1" from registry: handler with name "other.ext1" has not been registered',
    });
  });

  it('a handler must be for the hook', async () => {
    const { calls } = aWorld([aDiscovered([creating])]);
    const answer = await calls.callNamed(discoverVariables, 'x.ext1', { object: subject, request: {} });
    expect(answer).toEqual({
      ok: false,
      why: 'handler',
      error: `${ofOne}: handler does not match GroupHook "DiscoverVariables.hooks.runtime.cluster.x-k8s.io"`,
    });
  });

  it('the Namespace must be read if a selector uses its labels', async () => {
    const { calls, log } = aWorld([aDiscovered([creating]).withSpec(onlyBlue)]);
    const named = await calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster);
    expect(named).toEqual({ ok: false, why: 'namespace', error: ofOne });
    const all = await calls.callAll(beforeClusterCreate, ofCluster);
    expect(errorOf(all)).toBe(`${ofAll}failed to read namespace "ns" of object ns/c1`);
    expect(log.lines).toMatchObject([
      { message: 'Reading a Namespace failed', name: 'ns', problem: expect.stringContaining('not found') },
    ]);
  });

  it('an object without namespace matches no label selector', async () => {
    const { calls } = aWorld([aDiscovered([creating]).withSpec(onlyBlue)]);
    const answer = await calls.callAll(beforeClusterCreate, { ...ofCluster, object: { name: 'c1' } });
    expect(errorOf(answer)).toBe(`${ofAll}failed to read namespace "" of object c1`);
  });

  it('the ExtensionConfigs must be read', async () => {
    const { calls } = aWorld([], { faults: [{ at: 'list ExtensionConfig ', message: 'forbidden' }] });
    const problem = 'failed to list ExtensionConfigs: forbidden';
    const answers = [
      await calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster),
      await calls.callAll(beforeClusterCreate, ofCluster),
      await calls.registered(beforeClusterCreate, subject),
    ];
    expect(answers.map(answer => errorOf(answer))).toEqual([`${ofOne}: ${problem}`, `${ofAll}${problem}`, problem]);
    expect(answers).toMatchObject([{ why: 'configs' }, { why: 'configs' }, { why: 'configs' }]);
  });

  it('the extension server must be reachable, regardless of the failure policy', async () => {
    const config = aDiscovered([{ ...creating, failurePolicy: 'Ignore' }]).withService({ name: 's', namespace: 'n' });
    const answer = await aWorld([config]).calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster);
    expect(answer).toMatchObject({ ok: false, why: 'client' });
    expect(errorOf(answer)).toContain(
      `${ofOne}: failed to get http client: spec.clientConfig.service cannot be reached`,
    );
  });

  it("the remaining time must cover the handler's timeout, regardless of the failure policy", async () => {
    const clock = new SteppedClock();
    const options = { hooks: fakeHooks({ clock }), deadline: clock.now() + 9000 };
    const world = aWorld([aDiscovered([{ ...creating, failurePolicy: 'Ignore' }])], options);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', success);
    const answer = await world.calls.callAll(beforeClusterCreate, ofCluster);
    expect(answer).toMatchObject({ ok: false, why: 'time' });
    expect(errorOf(answer)).toContain('it may take 10 s, and 9 s of this invocation are left');
    expect(world.hooks.calls).toEqual([]);
  });

  it('nothing is read twice in a pass', async () => {
    const handlers = ['x', 'y'].map(name => ({ ...creating, name }));
    const world = aWorld([aDiscovered(handlers).withSpec(onlyBlue), aNamespace('ns', { team: 'blue' })]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', success);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/y', success);
    expect(await world.calls.callAll(beforeClusterCreate, ofCluster)).toMatchObject({ ok: true });
    expect(await world.calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster)).toMatchObject({ ok: true });
    expect(world.reads.trips.flat()).toEqual(['list ExtensionConfig ', 'metadata Namespace ns']);
  });

  it('nothing is read for an object without namespace if no selector is set', async () => {
    const world = aWorld([aDiscovered([creating])]);
    expect(await world.calls.registered(beforeClusterCreate, { name: 'c1' })).toEqual({ ok: true, value: ['x.ext1'] });
  });

  it('a Namespace without labels matches no label selector', async () => {
    const { metadata, ...rest } = aNamespace('ns', {}).build();
    const { labels: _, ...unlabelled } = metadata;
    const world = aWorld([aDiscovered([creating]).withSpec(onlyBlue), { ...rest, metadata: unlabelled }]);
    expect(await world.calls.registered(beforeClusterCreate, subject)).toEqual({ ok: true, value: [] });
  });
});

describe('without a handler', () => {
  it('a hook succeeds without any call', async () => {
    const world = aWorld([]);
    expect(await world.calls.callAll(beforeClusterCreate, ofCluster)).toEqual({
      ok: true,
      value: { status: 'Success', message: '', retryAfterSeconds: 0 },
    });
    expect(world.hooks.calls).toEqual([]);
  });

  it('a blocking hook does not count as unimplemented while an ExtensionConfig is undiscovered', async () => {
    const { calls } = aWorld([anExtensionConfig()]);
    const problem =
      'whether ExtensionConfig "ext1" serves BeforeClusterCreate is not known: it was never discovered; fix it (see its condition Discovered) or delete it';
    expect(await calls.registered(beforeClusterCreate, subject)).toEqual({ ok: false, why: 'unknown', error: problem });
    expect(errorOf(await calls.callAll(beforeClusterCreate, ofCluster))).toBe(`${ofAll}${problem}`);
  });

  it('a non-blocking hook does not wait for discovery', async () => {
    const { calls } = aWorld([anExtensionConfig()]);
    expect(await calls.registered(afterControlPlaneInitialized, subject)).toEqual({ ok: true, value: [] });
  });

  it('no hook waits for an ExtensionConfig that does not select the namespace, or that is being deleted', async () => {
    const elsewhere = anExtensionConfig().withSpec(onlyBlue);
    const world = aWorld([elsewhere, anExtensionConfig().named('old').deleting(), aNamespace('ns', { team: 'red' })]);
    expect(await world.calls.registered(beforeClusterCreate, subject)).toEqual({ ok: true, value: [] });
  });

  it('a named call does not wait for the others', async () => {
    const world = aWorld([anExtensionConfig().named('new'), aDiscovered([creating])]);
    world.hooks.answer(extensionUrl, 'beforeclustercreate/x', success);
    expect(await world.calls.callNamed(beforeClusterCreate, 'x.ext1', ofCluster)).toMatchObject({ ok: true });
  });
});

describe('discovery', () => {
  const config = readExtensionConfig(
    anExtensionConfig()
      .withSpec({ settings: { k: 'v' } })
      .build(),
  );

  it('sends no settings, and reads no other ExtensionConfig', async () => {
    const world = aWorld([]);
    const handlers = [{ name: 'h', requestHook: { apiVersion: 'a/b', hook: 'H' } }];
    world.hooks.answer(extensionUrl, 'discovery', { body: { status: 'Success', handlers } });
    expect(await world.calls.discover(config)).toMatchObject({ ok: true, value: { handlers } });
    expect(world.hooks.calls).toMatchObject([
      {
        url: `${extensionUrl}/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery?timeout=10s`,
        timeoutSeconds: 10,
      },
    ]);
    expect(world.hooks.calls[0]?.body).toEqual({
      apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
      kind: 'DiscoveryRequest',
    });
    expect(world.reads.trips).toEqual([]);
  });

  it.each([
    { answer: { status: 503, text: 'later' }, problem: 'http call failed: got response with status code 503 != 200' },
    { answer: { body: { status: 'Failure', message: 'no' } }, problem: 'got failure response with message: no' },
    {
      answer: { body: { status: 'Success', handlers: 'many' } },
      problem: 'http call failed: failed to decode response: handlers: expected array',
    },
  ])('reports its failure: $problem', async ({ answer, problem }) => {
    const world = aWorld([]);
    world.hooks.answer(extensionUrl, 'discovery', answer);
    expect(errorOf(await world.calls.discover(config))).toContain(`failed to discover extension "ext1": ${problem}`);
  });
});
