import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { setNameOf } from '../../../../../functions/machinedeployment/plan/sets/desired-set.ts';
import { readTemplateOwner } from '../../../../../shared/api/machine/template-owner.ts';
import { readWholeMachineDeployment } from '../../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { aMachineDeployment } from '../../../../support/builders.ts';

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest();

interface NameCase {
  readonly deployment?: string;
  readonly uid?: string;
  readonly version?: string;
  readonly revision?: string;
  readonly after?: string;
  readonly attempt?: number;
}

function nameOf({ deployment = 'md1', uid = 'u', version = 'v1.31.0', revision = '1', after, attempt = 0 }: NameCase) {
  const object = aMachineDeployment().named(deployment).withUid(uid).withVersion(version).build();
  const template = readTemplateOwner(object).spec.template.spec;
  return setNameOf({ deployment: readWholeMachineDeployment(object), template, revision, after }, attempt, sha256);
}

describe('the name of a new MachineSet', () => {
  it('is the same for the same rollout', () => {
    expect(nameOf({})).toEqual(nameOf({}));
    expect(nameOf({}).name).toMatch(/^md1-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('is the same in each version of the function, so that a pass during an update creates no second MachineSet', () => {
    expect(nameOf({})).toEqual({ name: 'md1-h8ktq', hash: '4259032419-h8ktq' });
  });

  it('differs for each time after which older MachineSets are replaced', () => {
    const [first, second] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map(after => nameOf({ after }));
    expect(first?.name).not.toBe(second?.name);
    expect(first?.hash).not.toBe(second?.hash);
  });

  it.each<NameCase>([
    { uid: 'v' },
    { version: 'v1.32.0' },
    { revision: '2' },
    { after: '2026-01-01T00:00:00Z' },
    { attempt: 1 },
  ])('differs for %o', other => {
    expect(nameOf(other).name).not.toBe(nameOf({}).name);
    expect(nameOf(other).hash).not.toBe(nameOf({}).hash);
  });

  it.each([
    { length: 57, kept: 58, reason: 'a name of 63 characters' },
    { length: 58, kept: 58, reason: 'a name without hyphen' },
    { length: 70, kept: 58, reason: 'a long name' },
  ])('has at most 63 characters: $reason', ({ length, kept }) => {
    const deployment = 'x'.repeat(length);
    const { name } = nameOf({ deployment });
    expect(name).toHaveLength(63);
    expect(name.slice(0, kept)).toBe(`${deployment}-`.slice(0, kept));
  });

  it('has the same characters as the label, whose number has 32 bits', () => {
    for (let revision = 1; revision < 50; revision += 1) {
      const { name, hash } = nameOf({ revision: String(revision) });
      const [number = '', characters] = hash.split('-');
      expect(characters).toBe(name.slice(-5));
      expect(Number(number)).toBeLessThan(2 ** 32);
      expect(String(Number(number))).toBe(number);
    }
    const numbers = Array.from({ length: 50 }, (_, n) => Number.parseInt(nameOf({ revision: String(n) }).hash, 10));
    expect(new Set(numbers).size).toBe(50);
    expect(Math.max(...numbers)).toBeGreaterThan(2 ** 30);
  });
});
