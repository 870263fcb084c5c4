import { describe, expect, it } from 'vitest';
import { readTemplateOwner } from '../../../../shared/api/machine/template-owner.ts';
import { templateDifferences } from '../../../../shared/machine-collections/template-differences.ts';
import { aMachineSet } from '../../../support/builders.ts';

const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachineTemplate', name: 'it1' };
const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'FooConfigTemplate', name: 'bt1' };
const base = { version: 'v1.31.0', bootstrap: { configRef }, infrastructureRef, failureDomain: 'a' };

const specOf = (template: object) =>
  readTemplateOwner(
    aMachineSet()
      .withSpec({ template: { spec: template } })
      .build(),
  ).spec.template.spec;

describe('the differences of two Machine templates', () => {
  it.each([
    { desired: {}, message: [], log: [] },
    {
      desired: { minReadySeconds: 5, taints: [], clusterName: 'c2', providerID: 'x', deletion: {}, readinessGates: [] },
      message: [],
      log: [],
    },
    {
      desired: { version: 'v1.32.0' },
      message: ['Version v1.31.0, v1.32.0 required'],
      log: ['spec.version v1.31.0, v1.32.0 required'],
    },
    {
      desired: { bootstrap: { configRef: { ...configRef, name: 'bt2' } } },
      message: ['FooConfig is not up-to-date'],
      log: ['spec.bootstrap.configRef FooConfigTemplate bt1, FooConfigTemplate bt2 required'],
    },
    {
      desired: { bootstrap: { configRef, dataSecretName: 's' } },
      message: ['FooConfig is not up-to-date'],
      log: ['spec.bootstrap.configRef FooConfigTemplate bt1, FooConfigTemplate bt1 required'],
    },
    {
      desired: { infrastructureRef: { ...infrastructureRef, kind: 'BarMachineTemplate' } },
      message: ['FooMachine is not up-to-date'],
      log: ['spec.infrastructureRef FooMachineTemplate it1, BarMachineTemplate it1 required'],
    },
    {
      desired: { infrastructureRef: { ...infrastructureRef, apiGroup: 'other.cluster.x-k8s.io' } },
      message: ['FooMachine is not up-to-date'],
      log: ['spec.infrastructureRef FooMachineTemplate it1, FooMachineTemplate it1 required'],
    },
    {
      desired: { failureDomain: 'b' },
      message: ['Failure domain a, b required'],
      log: ['spec.failureDomain a, b required'],
    },
    {
      desired: { version: 'v1.32.0', failureDomain: 'b' },
      message: ['Version v1.31.0, v1.32.0 required', 'Failure domain a, b required'],
      log: ['spec.version v1.31.0, v1.32.0 required', 'spec.failureDomain a, b required'],
    },
  ])('$desired', ({ desired, message, log }) => {
    const found = templateDifferences(specOf(base), specOf({ ...base, ...desired }));
    expect(found.map(each => each.message)).toEqual(message);
    expect(found.map(each => each.log)).toEqual(log);
  });

  it.each([
    { current: {}, desired: { dataSecretName: 'b' }, names: 'nil, b' },
    { current: { dataSecretName: 'a' }, desired: {}, names: 'a, nil' },
    { current: {}, desired: { configRef }, names: 'nil, nil' },
  ])('of data Secrets: $names', ({ current, desired, names }) => {
    const text = `spec.bootstrap.dataSecretName ${names} required`;
    const found = templateDifferences(specOf({ ...base, bootstrap: current }), specOf({ ...base, bootstrap: desired }));
    expect(found).toEqual([{ message: text, log: text }]);
  });

  it('keep the word Template inside a kind', () => {
    const of = (name: string) =>
      specOf({ ...base, infrastructureRef: { ...infrastructureRef, kind: 'TemplateTemplateX', name } });
    expect(templateDifferences(of('a'), of('b'))[0]?.message).toBe('TemplateTemplateX is not up-to-date');
  });
});
