import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { at, found } from '../plan/desired/desired-input.ts';
import { inline, of, outcomeOf, type PatchTestOptions, patched, problemOf, specOf } from './patched.ts';

const generating = { generatePatchesExtension: 'h.ext1' };
const validating = { validateTopologyExtension: 'h.ext1' };

function external(extensions: JsonObject, fields: JsonObject = {}): JsonObject {
  return { name: 'p', external: extensions, ...fields };
}

/** Returns one item of a response. */
function change(uid: string, patch: unknown, patchType = 'JSONPatch'): JsonObject {
  const text = typeof patch === 'string' ? patch : JSON.stringify(patch);
  return { uid, patchType, patch: Buffer.from(text).toString('base64') };
}

function answering(...items: readonly JsonObject[]): PatchTestOptions {
  return {
    patches: [external(generating)],
    extension: { GeneratePatches: { body: { status: 'Success', items } } },
  };
}

const success = { body: { status: 'Success' } };
const infrastructure = 'infrastructureCluster';

describe('external patches', () => {
  it('remove by a merge patch', async () => {
    const desired = await outcomeOf(
      answering(
        change(infrastructure, { spec: { template: { spec: { region: null, zone: 'z' } } } }, 'JSONMergePatch'),
      ),
    );
    expect(specOf.infrastructureCluster(desired)).toEqual({ zone: 'z' });
  });

  it('are refused where they are for no template', async () => {
    expect(await problemOf(answering(change('other', [])))).toBe(
      'failed to apply patches for patch "p": unable to find corresponding request item for patch',
    );
  });

  it('receive the variables that are defined for them, and builtin', async () => {
    const { hooks } = await patched({
      ...answering(),
      variables: { mine: 1, inline: 2, both: 3, other: 4 },
      controlPlaneOverrides: { mine: 5, inline: 6 },
      definedFrom: { mine: ['p'], both: ['inline', 'p'], other: ['q'] },
    });
    const [call] = hooks.calls;
    const variables = (list: unknown) => Object.values(list ?? {}).map(each => at(each, 'name'));
    const items = Object.values(at(call?.body, 'items') ?? {});
    expect(variables(at(call?.body, 'variables'))).toEqual(['both', 'mine', 'builtin']);
    expect(items.map(item => variables(at(item, 'variables')))).toEqual([
      [],
      ['mine', 'builtin'],
      ['mine', 'builtin'],
      ...Array.from({ length: 4 }, () => ['builtin']),
    ]);
  });

  it('fail where the extension does not accept the result', async () => {
    const options: PatchTestOptions = {
      patches: [external(validating)],
      extension: { ValidateTopology: { body: { status: 'Failure', message: 'bad' } } },
    };
    expect(await problemOf(options)).toBe(
      'validation of patch "p" failed: failed to call extension handler "h.ext1": got failure response with message: bad',
    );
  });

  it('are sent each template with its holder', async () => {
    const { hooks } = await patched(answering());
    const items = Object.values(at(hooks.calls[0]?.body, 'items') ?? {});
    const reported = items.map(item => [at(item, 'uid'), at(item, 'object.kind'), at(item, 'holderReference')]);
    const holder = (kind: string, name: string, fieldPath: string, apiVersion = 'cluster.x-k8s.io/v1beta2') => ({
      ...{ apiVersion, kind, namespace: 'ns1', name, fieldPath },
    });
    const bootstrapPath = 'spec.template.spec.bootstrap.configRef';
    const machinesPath = 'spec.template.spec.infrastructureRef';
    const controlPlane = 'controlplane.cluster.x-k8s.io/v1beta2';
    expect(reported).toEqual([
      [infrastructure, 'GenericInfrastructureClusterTemplate', holder('Cluster', 'c1', 'spec.infrastructureRef')],
      ['controlPlane', 'KubeadmControlPlaneTemplate', holder('Cluster', 'c1', 'spec.controlPlaneRef')],
      [
        'controlPlaneMachines',
        'GenericInfrastructureMachineTemplate',
        holder('KubeadmControlPlane', 'c1-ccccc', 'spec.machineTemplate.spec.infrastructureRef', controlPlane),
      ],
      [
        'machineDeployment/md1/bootstrap',
        'KubeadmConfigTemplate',
        holder('MachineDeployment', 'c1-md1', bootstrapPath),
      ],
      [
        'machineDeployment/md1/infrastructure',
        'GenericInfrastructureMachineTemplate',
        holder('MachineDeployment', 'c1-md1', machinesPath),
      ],
      ['machinePool/mp1/bootstrap', 'KubeadmConfigTemplate', holder('MachinePool', 'c1-mp1-jjjjj', bootstrapPath)],
      [
        'machinePool/mp1/infrastructure',
        'GenericInfrastructureMachinePoolTemplate',
        holder('MachinePool', 'c1-mp1-jjjjj', machinesPath),
      ],
    ]);
  });

  it('are sent the same by every run', async () => {
    const first = await patched(answering());
    const second = await patched(answering());
    expect(second.hooks.calls[0]?.body).toEqual(first.hooks.calls[0]?.body);
  });

  it('name the older path of the reference where the control plane follows the older contract', async () => {
    const { hooks } = await patched({ ...answering(), contract: 'v1beta1' });
    const paths = Object.values(at(hooks.calls[0]?.body, 'items') ?? {}).map(item =>
      at(item, 'holderReference.fieldPath'),
    );
    expect(paths).toContain('spec.machineTemplate.infrastructureRef');
  });

  it('are called with settings of the ExtensionConfig, overlaid by those of the patch', async () => {
    const settings = { shared: 'patch', own: 'patch' };
    const { hooks } = await patched({
      patches: [external({ ...generating, ...validating, settings })],
      extension: { GeneratePatches: success },
    });
    expect(hooks.calls[0]?.body['settings']).toEqual({ from: 'config', shared: 'patch', own: 'patch' });
    expect(hooks.calls[0]?.url).toContain('/generatepatches/h?timeout=10s');
  });

  it('receive the result of earlier patches, and later ones receive theirs', async () => {
    const append = (name: string) =>
      inline(of.bootstrap('*'), [{ op: 'add', path: '/spec/template/spec/commands/-', value: name }], { name });
    const { outcome, hooks } = await patched({
      patches: [append('first'), external(generating), append('last')],
      extension: {
        GeneratePatches: {
          body: {
            status: 'Success',
            items: [
              change('machineDeployment/md1/bootstrap', [
                { op: 'add', path: '/spec/template/spec/commands/0', value: 'external' },
              ]),
            ],
          },
        },
      },
    });
    const sent = Object.values(at(hooks.calls[0]?.body, 'items') ?? {}).map(item =>
      at(item, 'object.spec.template.spec'),
    );
    expect(sent).toContainEqual({ commands: ['join', 'first'] });
    const desired = outcome.ok ? outcome.value : undefined;
    expect(desired && specOf.bootstrap(desired)).toEqual({ commands: ['external', 'join', 'first', 'last'] });
  });

  it('apply several patches to one template in order', async () => {
    const set = (value: number, op = 'replace') => [{ op, path: '/spec/template/spec/n', value }];
    const desired = await outcomeOf(answering(change(infrastructure, set(1, 'add')), change(infrastructure, set(2))));
    expect(specOf.infrastructureCluster(desired)).toHaveProperty('n', 2);
  });

  it('are never evaluated for being enabled', async () => {
    const { hooks } = await patched({ ...answering(), patches: [external(generating, { enabledIf: 'false' })] });
    expect(hooks.calls).toHaveLength(1);
  });

  it('change only spec, labels and annotations', async () => {
    const operations = [
      { op: 'replace', path: '/kind', value: 'Other' },
      { op: 'replace', path: '/metadata/name', value: 'other' },
      { op: 'add', path: '/status', value: { a: 1 } },
      { op: 'add', path: '/metadata/labels/a', value: 'b' },
      { op: 'add', path: '/spec/template/spec/foo', value: 1 },
    ];
    const { outcome, desired } = await patched(answering(change('controlPlaneMachines', operations)));
    const after = outcome.ok ? outcome.value : undefined;
    const before = desired.controlPlane.machineTemplate;
    expect(after?.controlPlane.machineTemplate).toEqual({
      ...before,
      metadata: { ...before?.metadata, labels: { ...before?.metadata.labels, a: 'b' } },
      spec: { template: { spec: { size: 'large', foo: 1 } } },
    });
  });

  it('cannot take away spec, labels or annotations as a whole, but everything in them', async () => {
    const uid = 'controlPlaneMachines';
    const whole = ['/spec', '/metadata/annotations', '/metadata'].map(path => change(uid, [{ op: 'remove', path }]));
    const { outcome, desired } = await patched(answering(...whole, change(uid, { spec: null }, 'JSONMergePatch')));
    expect(outcome).toEqual({ ok: true, value: desired });
    const emptied = await outcomeOf(
      answering(
        change(uid, [{ op: 'replace', path: '/metadata/labels', value: {} }]),
        change(uid, { spec: { template: { spec: { size: null } } } }, 'JSONMergePatch'),
      ),
    );
    expect(emptied.controlPlane.machineTemplate).toEqual({
      ...desired.controlPlane.machineTemplate,
      spec: { template: { spec: {} } },
    });
  });

  it.each([
    { reason: 'an empty list', items: [change(infrastructure, [])] },
    { reason: 'an empty object', items: [change(infrastructure, {}, 'JSONMergePatch')] },
    { reason: 'an empty document', items: [change(infrastructure, '', 'JSONMergePatch')] },
    { reason: 'no item', items: [] },
  ])('do nothing with $reason', async ({ items }) => {
    const { outcome, desired } = await patched(answering(...items));
    expect(outcome).toEqual({ ok: true, value: desired });
  });

  it.each([
    {
      reason: 'no JSON',
      item: change(infrastructure, '['),
      error: 'failed to apply patch: error decoding json patch (RFC6902): not valid JSON',
    },
    {
      reason: 'an operation that does not apply',
      item: change(infrastructure, [
        { op: 'test', path: '/spec', value: { template: {} } },
        { op: 'remove', path: '/spec' },
      ]),
      error: 'failed to apply patch: error applying json patch (RFC6902): testing value /spec failed: test failed',
      place: 'items[0], operation 0',
    },
    {
      reason: 'a merge patch that is not JSON',
      item: change(infrastructure, '{', 'JSONMergePatch'),
      error: 'failed to apply patch: error applying json merge patch (RFC7386): not valid JSON',
    },
    {
      reason: 'a merge patch that is not an object',
      item: change(infrastructure, [], 'JSONMergePatch'),
      error: 'failed to apply patch: error applying json merge patch (RFC7386): a merge patch must be an object',
    },
    {
      reason: 'another type of patch',
      item: change(infrastructure, [], 'Strategic'),
      error: 'failed to apply patch to template: unknown patch type "Strategic"',
    },
  ])('fail with $reason', async ({ item, error, place = 'items[0]' }) => {
    const where = `${place}, GenericInfrastructureClusterTemplate of Cluster ns1/c1`;
    expect(await problemOf(answering(item))).toBe(`failed to apply patches for patch "p": ${error} (${where})`);
  });

  it.each([
    {
      reason: 'it reports that for any failure policy',
      extension: { GeneratePatches: { body: { status: 'Failure', message: 'no' } } },
      failurePolicy: 'Ignore' as const,
      error: 'got failure response with message: no',
    },
    {
      reason: 'it cannot be reached',
      extension: { GeneratePatches: { unreachable: 'refused' } },
      error: 'http call failed: Post "https://ext1.example:8443/',
    },
    {
      reason: 'it is for other namespaces',
      extension: { GeneratePatches: success },
      selector: { matchLabels: { team: 'b' } },
      error: 'namespaceSelector did not match object ns1/c1',
    },
  ])('fail when the extension is called and $reason', async ({ error, ...options }) => {
    const problem = await problemOf({ patches: [external(generating)], ...options });
    const prefix = 'failed to generate patches for patch "p": failed to call extension handler "h.ext1": ';
    expect(problem.startsWith(prefix + error)).toBe(true);
  });

  it('do nothing when the extension cannot be reached and that is to be ignored', async () => {
    const { outcome, desired } = await patched({
      patches: [external(generating)],
      extension: { GeneratePatches: { unreachable: 'refused' } },
      failurePolicy: 'Ignore',
    });
    expect(outcome).toEqual({ ok: true, value: desired });
  });

  it.each([generating, validating, { ...generating, ...validating }])('need the feature gate: %o', async extensions => {
    expect(await problemOf({ patches: [external(extensions)], runtimeSdk: false })).toBe(
      'can not use external patch "p" if RuntimeSDK feature flag is disabled',
    );
  });

  it.each([
    { reason: 'only discovers', patch: external({ discoverVariablesExtension: 'h.ext1' }) },
    { reason: 'says nothing', patch: { name: 'p' } },
  ])('cannot be generated by a patch that $reason', async ({ patch }) => {
    expect(await problemOf({ patches: [patch] })).toBe('failed to create patch generator for patch "p"');
  });

  it('generate nothing where they only validate', async () => {
    const { outcome, hooks, desired } = await patched({
      patches: [external(validating)],
      extension: { ValidateTopology: success },
    });
    expect(outcome).toEqual({ ok: true, value: desired });
    expect(hooks.calls.map(({ hook }) => hook)).toEqual(['ValidateTopology']);
  });

  it('validate the result of all patches, with their own variables and without uids', async () => {
    const { hooks } = await patched({
      patches: [
        external(validating, { name: 'first' }),
        external(validating, { name: 'second' }),
        inline(of.infrastructureCluster, [{ op: 'add', path: '/spec/template/spec/foo', value: 1 }], { name: 'last' }),
      ],
      variables: { one: 1, two: 2 },
      definedFrom: { one: ['first'], two: ['second'] },
      extension: { ValidateTopology: success },
    });
    const names = hooks.calls.map(({ body }) =>
      Object.values(body['variables'] ?? {}).map(variable => at(variable, 'name')),
    );
    expect(names).toEqual([
      ['one', 'builtin'],
      ['two', 'builtin'],
    ]);
    const [item] = Object.values(hooks.calls[0]?.body['items'] ?? {});
    expect(at(item, 'object.spec.template.spec')).toEqual({ region: 'r1', foo: 1 });
    expect(Object.keys(found(item))).not.toContain('uid');
  });
});
