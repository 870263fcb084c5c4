// ClusterClasses for tests, and their templates. By default, the templates are of the simulated provider.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type Built, built, fieldsOf, ObjectBuilder } from './object-builder.ts';

interface TemplateReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** A template to reference, or a reference to a template that may not exist. */
export type TemplateOrReference = Built<Unstructured> | TemplateReference;

export function toTemplateRef(of: TemplateOrReference): TemplateReference {
  if (!('metadata' in of) && !('build' in of)) {
    return of;
  }
  const { apiVersion, kind, metadata } = built(of);
  return { apiVersion, kind, name: metadata.name };
}

/** The templates of one worker class. */
interface WorkerTemplates {
  readonly bootstrap: TemplateOrReference;
  readonly infrastructure: TemplateOrReference;
}

interface InlineVariable {
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

export class ClusterClassBuilder extends ObjectBuilder {
  paused(): this {
    return this.annotated({ 'cluster.x-k8s.io/paused': '' });
  }

  withInfrastructure(template: TemplateOrReference): this {
    return this.withSpec({ infrastructure: { templateRef: toTemplateRef(template) } });
  }

  withControlPlane(template: TemplateOrReference): this {
    return this.withControlPlaneFields({ templateRef: toTemplateRef(template) });
  }

  withControlPlaneMachines(template: TemplateOrReference): this {
    return this.withControlPlaneFields({ machineInfrastructure: { templateRef: toTemplateRef(template) } });
  }

  withControlPlaneFields(fields: Readonly<Record<string, unknown>>): this {
    return this.withSpec({ controlPlane: { ...fieldsOf(fieldsOf(this.object.spec)['controlPlane']), ...fields } });
  }

  /** Keys are the names of the classes. */
  withMachineDeployments(classes: Readonly<Record<string, WorkerTemplates>>): this {
    return this.withWorkers('machineDeployments', classes);
  }

  withMachinePools(classes: Readonly<Record<string, WorkerTemplates>>): this {
    return this.withWorkers('machinePools', classes);
  }

  withVariables(...variables: readonly InlineVariable[]): this {
    return this.withSpec({
      variables: variables.map(({ name, required = false, schema }) => ({
        name,
        required,
        schema: { openAPIV3Schema: schema },
      })),
    });
  }

  /** Adds one external patch for each item: its name, and its handler for variables. */
  discovering(handlers: Readonly<Record<string, string>>, settings?: Readonly<Record<string, string>>): this {
    const patches = Object.entries(handlers).map(([name, discoverVariablesExtension]) => ({
      name,
      external: {
        generatePatchesExtension: 'generate.ext1',
        discoverVariablesExtension,
        ...(settings && { settings }),
      },
    }));
    return this.withSpec({ patches });
  }

  private withWorkers(kind: string, classes: Readonly<Record<string, WorkerTemplates>>): this {
    const list = Object.entries(classes).map(([name, { bootstrap, infrastructure }]) => ({
      class: name,
      bootstrap: { templateRef: toTemplateRef(bootstrap) },
      infrastructure: { templateRef: toTemplateRef(infrastructure) },
    }));
    return this.withSpec({ workers: { ...fieldsOf(fieldsOf(this.object.spec)['workers']), [kind]: list } });
  }
}

const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
} as const;

/** Returns a template of a simulated kind. */
function aTemplate(role: keyof typeof groups, kind: string, name: string): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: `${groups[role]}/v1beta2`, kind: `${kind}Template`, name }).withSpec({
    template: { spec: {} },
  });
}

/** One template for each purpose. */
export const templates = {
  infrastructure: aTemplate('infrastructure', 'SimulatedCluster', 'infra'),
  controlPlane: aTemplate('controlPlane', 'SimulatedControlPlane', 'cp'),
  controlPlaneMachine: aTemplate('infrastructure', 'SimulatedMachine', 'cp-machine'),
  workerBootstrap: aTemplate('bootstrap', 'SimulatedBootstrapConfig', 'worker-boot'),
  workerMachine: aTemplate('infrastructure', 'SimulatedMachine', 'worker-machine'),
  poolBootstrap: aTemplate('bootstrap', 'SimulatedBootstrapConfig', 'pool-boot'),
  poolMachine: aTemplate('infrastructure', 'SimulatedMachinePool', 'pool-machine'),
} as const;

/** References only the templates of infrastructure and control plane. */
export function aPlainClusterClass(): ClusterClassBuilder {
  return new ClusterClassBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name: 'cc' })
    .withInfrastructure(templates.infrastructure)
    .withControlPlane(templates.controlPlane);
}

/** References every template once. */
export function aClusterClass(): ClusterClassBuilder {
  return aPlainClusterClass()
    .withControlPlaneMachines(templates.controlPlaneMachine)
    .withMachineDeployments({
      worker: { bootstrap: templates.workerBootstrap, infrastructure: templates.workerMachine },
    })
    .withMachinePools({ pool: { bootstrap: templates.poolBootstrap, infrastructure: templates.poolMachine } });
}
