import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toCanonicalText } from '../../../../../../functions/topology/plan/names/name-candidates.ts';
import { type NameRole, toName } from '../../../../../../functions/topology/plan/names/name-pattern.ts';
import { randomnessOf } from '../../../../../../shared/names/random-characters.ts';

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest();
const randomness = { random: 'rrrrr', ending: 'zzzzz' };
const alphabet = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

function nameOf(role: NameRole, { clusterName = 'c1', topologyName = 'md1', template = '' } = {}) {
  return toName({ role, clusterName, topologyName, template }, randomness);
}

describe('the name of an object of a topology', () => {
  const patterns: readonly { readonly role: NameRole; readonly name: string }[] = [
    { role: 'InfrastructureCluster', name: 'c1-rrrrr' },
    { role: 'ControlPlane', name: 'c1-rrrrr' },
    { role: 'ControlPlaneMachineTemplate', name: 'c1-rrrrr' },
    { role: 'MachineDeployment', name: 'c1-md1-rrrrr' },
    { role: 'MachineDeploymentBootstrapTemplate', name: 'c1-md1-rrrrr' },
    { role: 'MachineDeploymentInfrastructureTemplate', name: 'c1-md1-rrrrr' },
    { role: 'MachinePool', name: 'c1-md1-rrrrr' },
    { role: 'MachinePoolBootstrapObject', name: 'c1-md1-rrrrr' },
    { role: 'MachinePoolInfrastructureObject', name: 'c1-md1-rrrrr' },
  ];
  it.each(patterns)('is $name for $role', ({ role, name }) => {
    expect(nameOf(role)).toEqual({ ok: true, value: name });
  });

  it('is not made from a template that is long, or works long', () => {
    expect(nameOf('ControlPlane', { template: 'a'.repeat(4097) })).toEqual({
      ok: false,
      error: 'parsing template: limit exceeded: more than 4096 characters',
    });
    expect(nameOf('ControlPlane', { template: '{{ range 3000 }}{{ end }}' })).toEqual({
      ok: false,
      error: expect.stringContaining('limit exceeded: more than 2000 steps'),
    });
  });

  const templates: readonly {
    readonly role: NameRole;
    readonly template: string;
    readonly name: string;
    readonly reason: string;
  }[] = [
    { role: 'ControlPlane', template: '{{ .cluster.name }}-cp', name: 'c1-cp', reason: 'nothing random' },
    {
      role: 'InfrastructureCluster',
      template: 'x-{{ .random }}-{{ .random }}',
      name: 'x-rrrrr-rrrrr',
      reason: 'one rendering, one chance',
    },
    {
      role: 'MachineDeployment',
      template: '{{ .machineDeployment.topologyName }}',
      name: 'md1',
      reason: 'its topology',
    },
    {
      role: 'MachinePool',
      template: '{{ .machinePool.topologyName }}-{{ .cluster.name }}',
      name: 'md1-c1',
      reason: 'its topology',
    },
    {
      role: 'ControlPlaneMachineTemplate',
      template: 'x',
      name: 'c1-rrrrr',
      reason: 'templates have no naming template',
    },
  ];
  it.each(templates)('$template gives $role the name $name: $reason', ({ role, template, name }) => {
    expect(nameOf(role, { template })).toEqual({ ok: true, value: name });
  });

  const lengths = [
    { template: 'a'.repeat(63), name: 'a'.repeat(63), reason: 'just as long as a label may be' },
    { template: 'a'.repeat(64), name: `${'a'.repeat(58)}zzzzz`, reason: 'one too long' },
    { template: 'ab'.repeat(35), name: `${'ab'.repeat(29)}zzzzz`, reason: 'seventy bytes' },
    { template: 'ä'.repeat(31), name: 'ä'.repeat(31), reason: 'bytes' },
    { template: 'ä'.repeat(32), name: `${'ä'.repeat(29)}zzzzz`, reason: 'bytes count, not characters' },
    { template: `a${'ä'.repeat(32)}`, name: `a${'ä'.repeat(28)}zzzzz`, reason: 'no half characters' },
  ];
  it.each(lengths)('is cut after 58 bytes when it is longer than 63: $reason', ({ template, name }) => {
    expect(nameOf('ControlPlane', { template })).toEqual({ ok: true, value: name });
  });

  it.each<NameRole>([
    'ControlPlaneMachineTemplate',
    'MachineDeploymentBootstrapTemplate',
    'MachinePoolBootstrapObject',
  ])('cuts a long prefix of %s before the random characters', role => {
    expect(nameOf(role, { clusterName: 'c'.repeat(63) })).toEqual({ ok: true, value: `${'c'.repeat(58)}rrrrr` });
    expect(nameOf(role, { clusterName: 'c'.repeat(40), topologyName: 'm'.repeat(30) })).toMatchObject({
      value: expect.stringMatching(/^c{40}-.*rrrrr$/),
    });
  });

  const problems = [
    {
      template: '{{ .cluster.name',
      error: 'parsing template "{{ .cluster.name": template: template name generator:1: unclosed action',
      reason: 'no template',
    },
    {
      template: '{{ .cluster.nope }}',
      error:
        'rendering template: template: template name generator:1:11: executing "template name generator" at <.cluster.nope>: map has no entry for key "nope"',
      reason: 'an unknown key',
    },
    {
      template: '{{ .machinePool.topologyName }}',
      error:
        'rendering template: template: template name generator:1:15: executing "template name generator" at <.machinePool.topologyName>: map has no entry for key "machinePool"',
      reason: 'the data of another role',
    },
    {
      template: '{{ upper .cluster.name }}',
      error:
        'parsing template "{{ upper .cluster.name }}": template: template name generator:1: function "upper" not defined',
      reason: 'no functions but those of Go',
    },
  ];
  it.each(problems)('cannot be computed: $reason', ({ template, error }) => {
    expect(nameOf('MachineDeployment', { template })).toEqual({ ok: false, error });
  });
});

describe('the random characters', () => {
  const seed = ['uid', 'ControlPlane', '', ''];

  it('are five of the alphabet, and depend on the seed only', () => {
    const { random, ending } = randomnessOf(seed, 0, sha256);
    expect(randomnessOf([...seed], 0, sha256)).toEqual({ random, ending });
    expect([random, ending]).toEqual([expect.stringMatching(alphabet), expect.stringMatching(alphabet)]);
    expect(random).not.toBe(ending);
  });

  it('never change between releases, because objects are found by them', () => {
    expect(randomnessOf(seed, 0, sha256)).toEqual({ random: 'fcbt4', ending: 'd8wcz' });
    expect(randomnessOf(['uid', 'ControlPlaneMachineTemplate', '', 'c1-aaaaa', '{}'], 1, sha256)).toEqual({
      random: 'xnsln',
      ending: 'qll8m',
    });
  });

  const others: readonly (readonly [string, readonly string[], number])[] = [
    ['another Cluster', ['uid2', 'ControlPlane', '', ''], 0],
    ['another role', ['uid', 'InfrastructureCluster', '', ''], 0],
    ['another topology', ['uid', 'ControlPlane', 'md1', ''], 0],
    ['another predecessor', ['uid', 'ControlPlane', '', 'c1-aaaaa'], 0],
    ['content', [...seed, '{}'], 0],
    ['the next candidate', seed, 1],
    ['the same texts, parted elsewhere', ['uidControlPlane', '', '', ''], 0],
  ];
  it.each(others)('are different for %s', (_, other, n) => {
    expect(randomnessOf(other, n, sha256).random).not.toBe(randomnessOf(seed, 0, sha256).random);
  });

  it('use the whole alphabet', () => {
    const drawn = Array.from({ length: 400 }, (_, n) => randomnessOf(seed, n, sha256).random).join('');
    expect(new Set(drawn).size).toBe(27);
  });
});

describe('the canonical text of an object', () => {
  it('does not depend on the order of members, but on that of items', () => {
    const a = { b: [{ y: 1, x: 2 }, 'z'], a: { d: null, c: undefined } };
    expect(toCanonicalText(a)).toBe('{"a":{"d":null},"b":[{"x":2,"y":1},"z"]}');
    expect(toCanonicalText({ a: { d: null }, b: [{ x: 2, y: 1 }, 'z'] })).toBe(toCanonicalText(a));
    expect(toCanonicalText({ a: { d: null }, b: ['z', { x: 2, y: 1 }] })).not.toBe(toCanonicalText(a));
  });
});
