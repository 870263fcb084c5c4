// Scenarios of ExtensionConfig by their ids: discovery, injection of authorities, pause. Scenarios 1 to 4 are
// admission.
import { describe, expect, it } from 'vitest';
import { recheckMs } from '../../../../functions/extensionconfig/plan.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import {
  aSecret,
  aSettledConfig,
  aWorld,
  base64,
  errorOf,
  extensionUrl,
  hooksApiVersion,
  pem,
  ref,
  serving,
} from './reconciled-extension-config.ts';

const settledWrites = ['patch ExtensionConfig ext1 status'];
const discoverVariables = { apiVersion: hooksApiVersion, hook: 'DiscoverVariables' };
const inDiscovery = 'Error in discovery: failed to discover extension "ext1": ';

describe('discovery', () => {
  it('calls the server in the first reconcile, as there is no registry to warm up', async () => {
    const world = aWorld(anExtensionConfig());
    world.serve(serving({ name: 'first' }));
    expect((await world.run()).result).toEqual({ kind: 'requeueAfter', ms: recheckMs });
    expect(world.hooks.calls).toHaveLength(1);
    expect(world.registered().map(({ name }) => name)).toEqual(['first.ext1']);
  });

  it('stores the handlers of the server, with defaults', async () => {
    const world = aWorld(anExtensionConfig());
    world.serve(serving({ name: 'first' }, { name: 'second', hook: 'GeneratePatches' }));
    expect(await world.run()).toEqual({ result: { kind: 'requeueAfter', ms: 600_000 }, passes: 2, writes: 2 });
    expect(world.takeWrites()).toEqual([...settledWrites, ...settledWrites]);
    expect(world.handlers()).toEqual([
      { name: 'first.ext1', requestHook: discoverVariables, timeoutSeconds: 10, failurePolicy: 'Fail' },
      {
        name: 'second.ext1',
        requestHook: { ...discoverVariables, hook: 'GeneratePatches' },
        timeoutSeconds: 10,
        failurePolicy: 'Fail',
      },
    ]);
    expect(world.condition('Discovered')).toBe('True/Discovered');
    expect(world.v1beta1('Discovered')).toBe('True');
    expect(world.condition('Paused')).toBe('False/NotPaused');
    expect(world.registered().map(({ name }) => name)).toEqual(['first.ext1', 'second.ext1']);
  });

  it('sends only version and kind, and waits ten seconds for the server', async () => {
    const world = aWorld(
      aSettledConfig()
        .withCaBundle(pem('a'))
        .withSpec({ settings: { k: 'v' } }),
    );
    world.serve(serving());
    await world.run();
    expect(world.hooks.calls).toEqual([
      {
        hook: 'Discovery',
        version: 'v1alpha1',
        url: `${extensionUrl}/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery?timeout=10s`,
        caBundle: pem('a'),
        body: { apiVersion: hooksApiVersion, kind: 'DiscoveryRequest' },
        timeoutSeconds: 10,
      },
    ]);
  });

  it('writes nothing without a change', async () => {
    const world = aWorld(anExtensionConfig());
    world.serve(serving({ name: 'first' }));
    await world.run();
    expect(await world.run()).toMatchObject({ passes: 1, writes: 0 });
    expect(world.hooks.calls).toHaveLength(2);
  });

  it('removes handlers that the server no longer reports', async () => {
    const world = aWorld(aSettledConfig());
    world.serve(serving({ name: 'first' }, { name: 'second' }));
    await world.run();
    world.serve(serving({ name: 'first' }));
    await world.run();
    expect(world.registered().map(({ name }) => name)).toEqual(['first.ext1']);
    world.serve(serving());
    await world.run();
    expect(world.handlers()).toBeUndefined();
    expect(world.condition('Discovered')).toBe('True/Discovered');
    expect((await world.run()).writes).toBe(0);
  });

  it('keeps the handlers while the server is down, and reports why', async () => {
    const world = aWorld(aSettledConfig());
    world.serve(serving({ name: 'first' }));
    await world.run();
    const before = world.handlers();
    world.serve({ unreachable: 'connect ECONNREFUSED 192.0.2.1:8443' });
    const failed = await world.run();
    const url = `${extensionUrl}/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery?timeout=10s`;
    const text = `failed to discover extension "ext1": http call failed: Post "${url}": connect ECONNREFUSED 192.0.2.1:8443`;
    expect(errorOf(failed)).toBe(text);
    expect(world.condition('Discovered')).toBe(`False/NotDiscovered Error in discovery: ${text}`);
    expect(world.v1beta1('Discovered')).toBe(`False/Error/DiscoveryFailed Error in discovery: ${text}`);
    expect(world.handlers()).toEqual(before);
    expect(world.registered().map(({ name }) => name)).toEqual(['first.ext1']);
    expect(await world.run()).toMatchObject({ writes: 0, result: { kind: 'failed', terminal: false } });
    world.serve(serving({ name: 'first' }));
    await world.run();
    expect(world.condition('Discovered')).toBe('True/Discovered');
  });

  it('reports all errors of an answer together', async () => {
    const world = aWorld(aSettledConfig());
    world.serve(serving({ name: 'h', timeoutSeconds: 31, failurePolicy: 'Foo' }));
    await world.run();
    expect(world.condition('Discovered')).toBe(
      `False/NotDiscovered ${inDiscovery}failed to validate discovery response: ` +
        '[handler h timeoutSeconds 31 must be between 0 and 30, handler h failurePolicy Foo must equal "Ignore" or "Fail"]',
    );
    expect(world.handlers()).toBeUndefined();
  });

  it('treats a timeout of 0 as absent', async () => {
    const world = aWorld(aSettledConfig());
    world.serve(serving({ name: 'h', timeoutSeconds: 0 }));
    await world.run();
    expect(world.handlers()).toEqual([{ name: 'h.ext1', requestHook: discoverVariables, failurePolicy: 'Fail' }]);
    expect(world.registered()[0]?.timeoutSeconds).toBe(10);
    expect((await world.run()).writes).toBe(0);
  });

  it.each([
    { parts: { hook: 'Nope' }, named: `${hooksApiVersion}/Nope`, reason: 'no such hook' },
    {
      parts: { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v9' },
      named: 'hooks.runtime.cluster.x-k8s.io/v9/DiscoverVariables',
      reason: 'no such version',
    },
  ])('rejects hooks that are not in the catalog: $reason', async ({ parts, named }) => {
    const world = aWorld(aSettledConfig());
    world.serve(serving({ name: 'h', ...parts }));
    await world.run();
    expect(world.condition('Discovered')).toBe(
      `False/NotDiscovered ${inDiscovery}failed to validate discovery response: handler h requestHook ${named} is not in the Runtime SDK catalog`,
    );
  });

  it('reports nothing about the extension when only the time of the invocation is short', async () => {
    const world = aWorld(aSettledConfig());
    world.serve(serving({ name: 'first' }));
    const result = await world.run({ deadline: world.api.clock.now() + 5_000 });
    expect(result).toMatchObject({ writes: 0, result: { kind: 'failed', terminal: false } });
    expect(world.condition('Discovered')).toBeUndefined();
    expect(world.hooks.calls).toEqual([]);
  });
});

describe('the authorities of a Secret', () => {
  const injecting = aSettledConfig().injectingCaFrom('ns/s');

  it('are injected first, and the condition has that generation', async () => {
    const world = aWorld(injecting, aSecret({ 'ca.crt': pem('a') }));
    world.serve(serving({ name: 'first' }));
    expect(await world.run()).toMatchObject({ passes: 2, writes: 2 });
    expect(world.takeWrites()).toEqual(['patch ExtensionConfig ext1', 'patch ExtensionConfig ext1 status']);
    expect(world.config().spec).toMatchObject({ clientConfig: { caBundle: base64(pem('a')), url: extensionUrl } });
    expect(world.hooks.calls.map(({ caBundle }) => caBundle)).toEqual([pem('a')]);
    expect(world.config().metadata.generation).toBe(2);
    expect([world.generationOf('Discovered'), world.generationOf('Paused')]).toEqual([2, 2]);
    expect(await world.run()).toMatchObject({ passes: 1, writes: 0 });
  });

  it('are injected and used in the first invocation', async () => {
    const world = aWorld(anExtensionConfig().injectingCaFrom('ns/s'), aSecret({ 'ca.crt': pem('a') }));
    world.serve(serving({ name: 'first' }));
    expect(await world.run()).toMatchObject({ passes: 3, writes: 3, result: { kind: 'requeueAfter' } });
    expect(world.condition('Discovered')).toBe('True/Discovered');
  });

  it('replace a value of the user, and follow the Secret with the next reconcile', async () => {
    const world = aWorld(injecting.withCaBundle(pem('mine')), aSecret({ 'ca.crt': pem('a') }));
    world.serve(serving());
    await world.run();
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' };
    await world.api.others.mergePatch(secret, { data: { 'ca.crt': base64(pem('b')) } });
    await world.run();
    await world.api.others.mergePatch(secret, { data: { 'ca.crt': '' } });
    await world.run();
    expect(world.hooks.calls.map(({ caBundle }) => caBundle)).toEqual([pem('a'), pem('b'), '']);
    expect(world.config().spec).toMatchObject({ clientConfig: { url: extensionUrl } });
    expect(world.config().spec).not.toHaveProperty('clientConfig.caBundle');
    expect(await world.run()).toMatchObject({ passes: 1, writes: 0 });
  });

  it('without them the server is not called, the condition reports it, and the next reconcile finds them', async () => {
    const world = aWorld(injecting, aSecret({ 'tls.crt': pem('a') }));
    world.serve(serving({ name: 'first' }));
    const text = 'failed to reconcile caBundle: secret ns/s does not contain a "ca.crt" entry';
    const failed = await world.run();
    expect(errorOf(failed)).toBe(text);
    expect(failed.result).toMatchObject({ terminal: false });
    expect(world.condition('Discovered')).toBe(`False/NotDiscovered ${text}`);
    expect(world.v1beta1('Discovered')).toBe(`False/Error/DiscoveryFailed ${text}`);
    expect(world.hooks.calls).toEqual([]);
    expect((await world.run()).writes).toBe(0);
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' };
    await world.api.others.mergePatch(secret, { data: { 'ca.crt': base64(pem('a')) } });
    expect((await world.run()).result).toEqual({ kind: 'requeueAfter', ms: recheckMs });
    expect(world.condition('Discovered')).toBe('True/Discovered');
  });

  it('are reported as missing, and the handlers stay', async () => {
    const world = aWorld(injecting.withCaBundle(pem('a')), aSecret({ 'ca.crt': pem('a') }));
    world.serve(serving({ name: 'first' }));
    await world.run();
    await world.api.others.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' });
    await world.run();
    expect(world.condition('Discovered')).toBe(
      'False/NotDiscovered failed to reconcile caBundle: failed to get secret "ns/s": secrets "s" not found',
    );
    expect(world.registered().map(({ name }) => name)).toEqual(['first.ext1']);
  });

  it('are not reported as missing while the API server fails', async () => {
    const world = aWorld(injecting, aSecret({ 'ca.crt': pem('a') }));
    world.api.calls.fail({ at: ({ kind }) => kind === 'Secret', failure: { reason: 'Unavailable', message: 'busy' } });
    expect(errorOf(await world.run())).toBe('failed to reconcile caBundle: failed to get secret "ns/s": busy');
    expect(world.condition('Discovered')).toBeUndefined();
  });

  it('are not read under an invalid name', async () => {
    const world = aWorld(aSettledConfig().injectingCaFrom('justname'));
    await world.run();
    expect(world.condition('Discovered')).toBe(
      'False/NotDiscovered failed to reconcile caBundle: secret name "justname" must be in the form <namespace>/<name>',
    );
    expect(world.hooks.calls).toEqual([]);
  });

  it('are injected only into the version that was read', async () => {
    const world = aWorld(injecting, aSecret({ 'ca.crt': pem('a') }));
    world.serve(serving());
    world.api.calls.before(
      ({ verb, subresource }) => verb === 'patch' && subresource === undefined,
      () => world.api.others.mergePatch(ref, { spec: { settings: { k: String(world.api.calls.all.length) } } }),
    );
    await world.run();
    expect(world.takeWrites()[0]).toContain('→ Conflict');
  });

  it('are reported when they cannot be written', async () => {
    const world = aWorld(injecting, aSecret({ 'ca.crt': pem('a') }));
    world.api.calls.fail({ at: ({ verb }) => verb === 'patch', failure: { reason: 'Forbidden', message: 'no' } });
    expect(errorOf(await world.run())).toBe('failed to patch ExtensionConfig ext1 with the caBundle of its Secret: no');
    expect(world.hooks.calls).toEqual([]);
  });
});

describe('an ExtensionConfig that is not reconciled', () => {
  it('has no calls while it is paused, its handlers stay, and deletion removes them', async () => {
    const handler = { name: 'first.ext1', requestHook: discoverVariables, failurePolicy: 'Fail' };
    const world = aWorld(
      aSettledConfig()
        .paused()
        .withFinalizers('x/y')
        .withStatus({ handlers: [handler] }),
    );
    expect(await world.run()).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1 });
    expect(world.condition('Paused')).toBe('True/Paused ExtensionConfig has the cluster.x-k8s.io/paused annotation');
    expect(await world.run()).toEqual({ result: { kind: 'done' }, passes: 1, writes: 0 });
    expect(world.hooks.calls).toEqual([]);
    expect(world.registered().map(({ name }) => name)).toEqual(['first.ext1']);
    await world.api.others.delete(ref);
    expect(world.registered()).toEqual([]);
    expect(await world.run()).toEqual({ result: { kind: 'done' }, passes: 1, writes: 0 });
  });

  it('has no second reconciler for a registry: callers of its handlers read its status, at any generation', async () => {
    const handler = { name: 'first.ext1', requestHook: discoverVariables, failurePolicy: 'Fail' };
    const stale = aSettledConfig()
      .withStatus({ handlers: [handler] })
      .withCondition('Discovered', { observedGeneration: 0 });
    expect(
      aWorld(stale)
        .registered()
        .map(({ name }) => name),
    ).toEqual(['first.ext1']);
  });

  it('does not block the others: each is registered by its own status', async () => {
    const world = aWorld(anExtensionConfig());
    world.serve({ unreachable: 'connection refused' });
    await world.run();
    expect(world.registered()).toEqual([]);
    const other = aWorld(anExtensionConfig());
    other.serve(serving({ name: 'first' }));
    await other.run();
    expect(other.registered().map(({ name }) => name)).toEqual(['first.ext1']);
  });

  it('is not read while the feature gate is off', async () => {
    const world = aWorld(anExtensionConfig());
    expect(await world.run({ runtimeSdk: false })).toEqual({ result: { kind: 'done' }, passes: 1, writes: 0 });
    expect(world.lines.at(-1)).toMatchObject({ reason: 'the feature gate RuntimeSDK is off' });
  });
});
