// The public interface of the ClusterClass reconciler for CLI commands.
import { toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { type EarlyEnd, isEarlyEnd } from '@capi-serverless/reconciler';
import { discovererOf } from '../../shared/api/cluster-class/class-spec.ts';
import { readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { type ExplainContext, type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import type { Hooks } from '../../shared/runtime-hooks/port.ts';
import { readStatusVariables } from '../../shared/variables/index.ts';
import { ownActionId } from './phases/check-templates.ts';
import type { ClassPlan } from './plan.ts';
import { createClusterClassReconciler } from './reconciler.ts';
import { describeClass, waitOfClass } from './why.ts';

export const face = toFace({
  reconciler: createClusterClassReconciler({ callsExtensions: true }),
  asReported: { hooks: discoveryAsReported },
  whyOf: whyOfClusterClass,
  waitOf: waitOfClass,
  describe: describeClass,
});

/** Returns `undefined` for an unknown action. */
function whyOfClusterClass({ action, seen: plan }: ExplainedAction<ClassPlan | EarlyEnd>): string | undefined {
  if (isEarlyEnd(plan)) {
    return undefined;
  }
  const { clusterClass, templates } = plan.seen;
  const isOwned = templates.some(({ object }) => object.ok && ownActionId(object.value.uid) === action.id);
  const name = toDisplayName(clusterClass.metadata);
  return isOwned ? `ClusterClass ${name} references it, and it lacks this owner reference` : undefined;
}

/** Reports every call that would be sent. */
function discoveryAsReported({ reads, ref, wouldAsk }: ExplainContext): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const { origin, pathname } = new URL(url);
      const answered = await reads.get(ref);
      const variables = answered.ok ? reportedBy(answered.value, pathname.split('/').at(-1) ?? '') : [];
      wouldAsk(
        `the extension server at ${origin} by hook ${hook}; assumed to define what the status lists; --call-hooks calls it`,
      );
      return { ok: true, body: { status: 'Success', variables } };
    },
  };
}

/**
 * Returns the variables in the status of the patches that call this handler. URLs contain handler names in lower case.
 */
function reportedBy(object: Unstructured, handler: string): readonly object[] {
  const patches = readClusterClass(object)
    .spec.patches.filter(patch => discovererOf(patch).split('.')[0]?.toLowerCase() === handler)
    .map(({ name }) => name);
  const listed = readStatusVariables(valueAt(object.status, 'variables'));
  return (listed.ok ? listed.value : []).flatMap(({ name, definitions }) => {
    const own = definitions.find(({ from }) => patches.includes(from));
    return own === undefined ? [] : [{ ...own, name }];
  });
}
