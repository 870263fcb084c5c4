// A patch may use the builtin variables that planning provides, and no others.
import { describe, expect, it } from 'vitest';
import {
  clusterBuiltins,
  controlPlaneBuiltins,
  workerBuiltins,
} from '../../../../functions/topology/plan/patches/builtins.ts';
import { builtinVariables } from '../../../../shared/admission/builtins.ts';
import { aBlueprint, aSettledTopologyCluster } from '../../../support/topology-objects.ts';
import { desiredOf, found } from '../../functions/topology/plan/desired/desired-input.ts';
import { aSpec, deployments, reported, worker } from './admission-class.ts';

/** Objects with members of any name. A variable references the whole object. */
const maps = ['labels', 'annotations'];

/** Returns the dotted paths of the values in an object. */
function pathsOf(value: unknown, path: string): readonly string[] {
  const isLeaf = typeof value !== 'object' || value === null || Array.isArray(value);
  return isLeaf || maps.some(name => path.endsWith(`.${name}`))
    ? [path]
    : Object.entries(value).flatMap(([name, below]) => pathsOf(below, `${path}.${name}`));
}

/** The builtin variables of a Cluster with a network, annotations and replicas for all workers. */
function providedPaths(): readonly string[] {
  const cidrBlocks = ['10.0.0.0/16'];
  const cluster = aSettledTopologyCluster()
    .annotated({ mine: 'annotation' })
    .withSpec({ clusterNetwork: { serviceDomain: 'a.b', services: { cidrBlocks }, pods: { cidrBlocks } } });
  const blueprint = aBlueprint({ cluster });
  const desired = desiredOf();
  const metadata = { labels: { mine: 'label' }, annotations: { mine: 'annotation' } };
  const { machineDeployments, machinePools } = blueprint.topology.workers;
  const deployment = found(desired.machineDeployments.get('md1'));
  const pool = found(desired.machinePools.get('mp1'));
  return pathsOf(
    {
      ...clusterBuiltins(blueprint, desired),
      ...controlPlaneBuiltins(blueprint, desired),
      machineDeployment: workerBuiltins({
        topology: found(machineDeployments[0]),
        object: { ...deployment.object, metadata: { ...deployment.object.metadata, ...metadata } },
        bootstrap: deployment.bootstrapTemplate,
        infrastructure: deployment.infrastructureTemplate,
      }),
      machinePool: workerBuiltins({
        topology: found(machinePools[0]),
        object: { ...pool.object, metadata: { ...pool.object.metadata, ...metadata } },
        bootstrap: pool.bootstrapObject,
        infrastructure: pool.infrastructureObject,
      }),
    },
    'builtin',
  );
}

/** Objects that a variable may reference as a whole. */
const wholes = ['cluster', 'cluster.topology', 'cluster.network', 'controlPlane', 'machineDeployment', 'machinePool'];

function problemsWith(variable: string): readonly string[] {
  const matchResources = { machineDeploymentClass: { names: ['a'] } };
  const selector = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'AMachineTemplate', matchResources };
  const jsonPatches = [{ op: 'add', path: '/spec/a', valueFrom: { variable } }];
  const patches = [{ name: 'p', definitions: [{ selector, jsonPatches }] }];
  return reported(aSpec({ ...deployments(worker('a')), patches }));
}

describe('a builtin variable', () => {
  it('is known to admission exactly if planning provides it, or it is a whole object of them', () => {
    const provided = [...providedPaths(), ...wholes.map(path => `builtin.${path}`)];
    expect([...builtinVariables].toSorted()).toEqual(provided.toSorted());
    expect(provided.filter(path => problemsWith(path).length > 0)).toEqual([]);
  });

  it.each([
    { variable: 'builtin.', reason: 'it names nothing' },
    { variable: 'builtin.cluster.', reason: 'it ends in a dot' },
    { variable: 'builtin.cluster.nope', reason: 'no such fact is provided' },
    { variable: 'builtin.cluster.metadata.labels.a', reason: 'labels are used as a whole' },
    { variable: 'builtin.machineDeployment.topology', reason: 'it is a fact of another object' },
  ])('is refused otherwise: $variable, because $reason', ({ variable }) => {
    expect(problemsWith(variable)).toEqual([expect.stringMatching(/: not a defined builtin variable$/)]);
  });

  it('has a name below builtin, which alone is not a variable', () => {
    expect(problemsWith('builtin')).toEqual([expect.stringMatching(/: variable with name builtin cannot be found$/)]);
  });
});
