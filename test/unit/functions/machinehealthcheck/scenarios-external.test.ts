// Scenarios of MachineHealthChecks whose Machines are remediated by an external controller.
import { describe, expect, it } from 'vitest';
import { isRequestOf, toRequest } from '../../../../functions/machinehealthcheck/phases/plan-requests.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { reconcileOnce } from './health-check-pass.ts';
import {
  aCheck,
  clusterNameLabel,
  externalCheck,
  HealthTestObject,
  lost,
  machine,
  node,
  now,
  request,
  template,
  templateRef,
  young,
} from './scenario-objects.ts';

const hcs = 'HealthCheckSucceeded';
const external = 'ExternallyRemediated';
const templateType = 'ExternalRemediationTemplateAvailable';
const requestType = 'ExternalRemediationRequestAvailable';
const oneLost = { nodes: [lost(1, 400), node(2), node(3)], objects: [template()] };
const of = (name: string) => `machine "${name}" in namespace "ns" within cluster "c1"`;
const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm1', uid: 'uid-of-machine-m1' };

describe('an unhealthy Machine', () => {
  it('gets a request from the template', async () => {
    const pass = await reconcileOnce(externalCheck(), oneLost);
    expect(pass.writes[0]).toBe(
      `create FooRemediation ns/m1 ${JSON.stringify({
        spec: { size: '3xl' },
        apiVersion: 'rem.io/v1',
        kind: 'FooRemediation',
        metadata: {
          name: 'm1',
          namespace: 'ns',
          labels: { [clusterNameLabel]: 'c1' },
          annotations: {
            'cluster.x-k8s.io/cloned-from-name': 't1',
            'cluster.x-k8s.io/cloned-from-groupkind': 'FooRemediationTemplate.rem.io',
          },
          ownerReferences: [owner],
        },
      })}`,
    );
    expect(pass.of('m1', hcs)).toContain('False/UnhealthyNode');
    expect(pass.of('m1', external)).toBe('False/WaitingForRemediation');
    expect([pass.of('m1', 'OwnerRemediated'), pass.v1beta1Of('m1', external)]).toEqual([undefined, undefined]);
    expect(pass.written).toEqual(['create FooRemediation ns/m1', 'patch Machine ns/m1']);
    expect(pass.events).toHaveLength(1);
    const objects = [template(), request(1)];
    const machines = ['m1', 'm2', 'm3'].map(name => pass.machine(name));
    const next = await reconcileOnce(pass.check, { ...oneLost, objects, machines });
    expect([next.writes, next.events]).toEqual([[], []]);
    expect(next.asked).not.toContain('get FooRemediationTemplate ns/t1');
  });

  it('does not keep others from their requests', async () => {
    const objects = [template(), request(1)];
    const pass = await reconcileOnce(externalCheck(), { nodes: [lost(1, 400), lost(2, 400), node(3)], objects });
    expect(pass.written).toEqual(['patch Machine ns/m1', 'create FooRemediation ns/m2', 'patch Machine ns/m2']);
    expect(pass.of('m1', external)).toBe('False/WaitingForRemediation');
  });

  it('has a request without the label of the Cluster', async () => {
    const objects = [template(), request(1).onlyLabelled({})];
    const pass = await reconcileOnce(externalCheck(), { ...oneLost, objects });
    expect(pass.written).toEqual(['patch Machine ns/m1']);
    expect(pass.asked).toContain('get FooRemediation ns/m1');
  });

  it('is reported although the template is missing', async () => {
    const pass = await reconcileOnce(externalCheck(), { ...oneLost, objects: [] });
    const missing = 'failed to retrieve FooRemediationTemplate ns/t1: fooremediationtemplates.rem.io "t1" not found';
    expect(pass.result).toBe(
      `error retrieving remediation template rem.io/v1, Kind=FooRemediationTemplate "t1" for ${of('m1')}: ${missing}`,
    );
    expect(pass.v1beta1(templateType)).toBe(`False/Error/ExternalRemediationTemplateNotFound ${missing}`);
    expect(pass.v1beta1(requestType)).toBeUndefined();
    expect(pass.of('m1', external)).toBe(
      'False/RemediationTemplateNotFound Error retrieving remediation template FooRemediationTemplate ns/t1',
    );
    expect(pass.of('m1', hcs)).toContain('False/UnhealthyNode');
    expect(pass.status?.['observedGeneration']).toBeUndefined();
    const machines = ['m1', 'm2', 'm3'].map(name => pass.machine(name));
    const next = await reconcileOnce(pass.check, { ...oneLost, machines });
    expect(next.of('m1', external)).toBe('False/WaitingForRemediation');
    expect(next.v1beta1(templateType)).toBeUndefined();
  });

  it('is reported although its request is refused', async () => {
    const failures = { 'request:create:m1': { message: 'forbidden' } };
    const pass = await reconcileOnce(externalCheck(), { ...oneLost, failures });
    expect(pass.result).toBe(`error creating remediation request for ${of('m1')}: forbidden`);
    expect(pass.v1beta1(requestType)).toBe('False/Error/ExternalRemediationRequestCreationFailed forbidden');
    expect(pass.v1beta1(templateType)).toBeUndefined();
    expect(pass.of('m1', external)).toBe(
      'False/RemediationRequestCreationFailed Please check controller logs for errors',
    );
  });

  it('keeps what the external controller reports', async () => {
    const m1 = machine(1).withCondition(external, { status: 'True', reason: 'Rebooted' });
    const objects = [template(), request(1)];
    const pass = await reconcileOnce(externalCheck(), { machines: [m1], nodes: [lost(1, 400)], objects });
    expect(pass.of('m1', external)).toBe('True/Rebooted');
  });

  it.each(['RemediationTemplateNotFound', 'RemediationRequestCreationFailed'])(
    'that has its request no longer reports %s',
    async reason => {
      const m1 = machine(1).withCondition(external, { status: 'False', reason });
      const objects = [template(), request(1)];
      const pass = await reconcileOnce(externalCheck(), { machines: [m1], nodes: [lost(1, 400)], objects });
      expect(pass.of('m1', external)).toBe('False/WaitingForRemediation');
    },
  );

  it('is reported without more if its request cannot be read', async () => {
    const problem = `failed to fetch remediation request for ${of('m1')}: failed to retrieve external remediation request object: boom`;
    for (const at of ['get FooRemediation ns/m1', 'list FooRemediation ns']) {
      const pass = await reconcileOnce(externalCheck(), {
        ...oneLost,
        machines: [machine(1)],
        readFaults: [{ at, message: 'boom' }],
      });
      expect([pass.result, pass.written]).toEqual([problem, ['patch Machine ns/m1']]);
      expect([pass.of('m1', hcs)?.slice(0, 5), pass.of('m1', external)]).toEqual(['False', undefined]);
      expect(pass.asked).not.toContain('get FooRemediationTemplate ns/t1');
    }
  });

  it('gets no request while its kind is not served', async () => {
    const fault = { at: 'list FooRemediation ns', message: 'gone', reason: 'NotFound', notServed: true } as const;
    const pass = await reconcileOnce(externalCheck(), {
      ...oneLost,
      objects: [],
      machines: [machine(1)],
      readFaults: [fault],
    });
    expect(pass.result).toContain('error retrieving remediation template');
    expect(pass.asked).not.toContain('get FooRemediation ns/m1');
  });

  it('gets no request while too many are unhealthy', async () => {
    const check = aCheck().withSpec({ remediation: { templateRef, triggerIf: { unhealthyLessThanOrEqualTo: 0 } } });
    const old = check.withV1Beta1Condition(templateType, { status: 'False', severity: 'Error', reason: 'R' });
    const pass = await reconcileOnce(old, oneLost);
    expect(pass.written).toEqual(['patch Machine ns/m2', 'patch Machine ns/m3', 'patch Machine ns/m1']);
    expect(pass.asked.filter(line => line.includes('Foo'))).toEqual([]);
    expect(pass.v1beta1(templateType)).toBe('False/Error/R');
  });
});

describe('a healthy Machine', () => {
  const unhealthy = machine(1).withCondition(hcs, { status: 'False', reason: 'UnhealthyNode' });

  it('ends its remediation', async () => {
    const pass = await reconcileOnce(externalCheck(), { machines: [unhealthy], objects: [request(1)] });
    expect(pass.written).toEqual(['delete FooRemediation ns/m1', 'patch Machine ns/m1']);
    expect(pass.actions[0]).toMatchObject({ uid: 'uid-of-fooremediation-m1' });
    expect(pass.of('m1', hcs)).toBe(`True/${hcs}`);
  });

  it('waits for the end of its remediation', async () => {
    const objects = [request(1).deleting(now)];
    const pass = await reconcileOnce(externalCheck(), { machines: [unhealthy], objects });
    expect(pass.written).toEqual(['patch Machine ns/m1']);
    const next = await reconcileOnce(pass.check, { machines: [pass.machine('m1')], objects });
    expect(next.writes).toEqual([]);
  });

  it('stays unhealthy if its request cannot be deleted', async () => {
    const failures = { 'request:delete:m1': { message: 'no' } };
    const pass = await reconcileOnce(externalCheck(), { machines: [unhealthy], objects: [request(1)], failures });
    expect(pass.written).toEqual(['delete FooRemediation ns/m1']);
    expect(pass.result).toBe('failed to delete rem.io/v1, Kind=FooRemediation "m1" for Machine "m1": no');
  });

  it('stays unhealthy if its request cannot be read', async () => {
    const readFaults = [{ at: 'list FooRemediation ns', message: 'boom' }];
    const pass = await reconcileOnce(externalCheck(), { machines: [unhealthy], readFaults });
    expect(pass.writes).toEqual([]);
    expect(pass.result).toContain('failed to retrieve external remediation request object: boom');
  });

  it('is not reported without request, and asked for only after it was unhealthy', async () => {
    const pass = await reconcileOnce(externalCheck(), { machines: [unhealthy, machine(2), young(3, 9)] });
    expect(pass.writes).toEqual([]);
    expect(pass.asked.filter(line => line.includes('Foo'))).toEqual([
      'list FooRemediation ns',
      'get FooRemediation ns/m1',
    ]);
  });
});

describe('a request', () => {
  const m1 = readWholeMachine(machine(1).build());

  it('keeps the parts of the template that it may have', () => {
    const whole = template().withSpec({
      template: {
        apiVersion: 'rem.io/v2',
        kind: 'Other',
        data: 1,
        metadata: {
          labels: { a: 'b', n: 1 },
          annotations: { c: 'd' },
          finalizers: ['f'],
          uid: 'u',
          resourceVersion: '1',
          selfLink: 's',
          generateName: 'g',
        },
      },
    });
    expect(toRequest(m1, whole.build())).toMatchObject({
      apiVersion: 'rem.io/v2',
      kind: 'Other',
      data: 1,
      metadata: { generateName: 'g', labels: { a: 'b', [clusterNameLabel]: 'c1' }, annotations: { c: 'd' } },
    });
    const { metadata } = toRequest(m1, whole.build());
    expect(Object.keys(metadata).toSorted()).toEqual([
      'annotations',
      'generateName',
      'labels',
      'name',
      'namespace',
      'ownerReferences',
    ]);
  });

  it('is empty without a usable template', () => {
    const empty = template().withSpec({ template: 'text' }).build();
    const made = toRequest(m1, { ...empty, apiVersion: 'v1' });
    expect(Object.keys(made).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(made.metadata.annotations).toMatchObject({
      'cluster.x-k8s.io/cloned-from-groupkind': 'FooRemediationTemplate',
    });
    const blank = template()
      .withSpec({ template: { apiVersion: '', kind: 3 } })
      .build();
    expect(toRequest(m1, blank)).toMatchObject({ apiVersion: 'rem.io/v1', kind: 'FooRemediation' });
  });

  it('belongs to the Machine that owns it', async () => {
    const own = new HealthTestObject({ apiVersion: 'rem.io/v1', kind: 'FooRemediation', name: 'm1' });
    expect(isRequestOf(own.owners(owner).build(), m1)).toBe(true);
    expect(isRequestOf(own.owners({ ...owner, uid: 'x' }).build(), m1)).toBe(false);
    expect(isRequestOf(own.build(), m1)).toBe(false);
    const pass = await reconcileOnce(externalCheck(), oneLost);
    const [create] = pass.actions;
    expect(create?.do === 'create' && create.ours(own.build())).toBe(false);
  });
});
