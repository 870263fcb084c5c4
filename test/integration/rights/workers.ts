// Workers whose templates are cleaned up, for the roles of the cleanup reconcilers.
import { type Intent, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { templatesNamed } from '../../support/topology-workers.ts';
import { namespace, type RightsStage } from './stage.ts';

interface Loss {
  /** The name of the templates and of their Cluster. */
  readonly templates: string;
  readonly others: readonly Intent[];
  readonly lost: Intent;
}

/**
 * Creates the object with its templates, deletes it after the finalizer of the cleanup is set, and waits until all objects are
 * removed.
 */
export async function lose({ client }: RightsStage, { templates, others, lost }: Loss): Promise<void> {
  const labels = { 'cluster.x-k8s.io/cluster-name': templates };
  const made = templatesNamed(templates).map(template => template.in(namespace).labelled(labels));
  for (const intent of [...made.map(template => template.intent()), ...others]) {
    await client.create(intent);
  }
  const ref = toRef(await client.create(lost));
  await client.until(ref, isHeld);
  await client.remove(ref);
  await client.until(ref, object => object === undefined);
  for (const template of made) {
    await client.until(toRef(template.build()), object => object === undefined);
  }
}

/** The finalizer of the cleanup. The reconciler of the object has another one. */
function isHeld(object: Unstructured | undefined): boolean {
  return (object?.metadata.finalizers ?? []).some(finalizer => finalizer.endsWith('.topology.cluster.x-k8s.io'));
}
