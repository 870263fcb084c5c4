// Postpones the next check of a Node whose drain or volumes are awaited. Events of the Machine and of its objects do not
// cause more checks. The memory is lost with the process, which costs one more check.
import type { Instant } from '@capi-serverless/apimachinery';
import { concluded, type Pass } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { setNewest } from '../../../shared/bounded-map.ts';
import type { DeletionQuestion } from '../phases/deletion/deletion-scope.ts';
import { betweenChecksMs, type DeletionCheck, storedStage } from '../phases/deletion/deletion-stage.ts';
import type { PlannedDeletion } from '../phases/deletion/plan-deletion.ts';

/** The maximum number of Machines. */
const capacity = 1000;

/** The check that a question would begin. While volumes are awaited, the drain is evaluated again first. */
const checksOfQuestion: Partial<Readonly<Record<DeletionQuestion['ask'], readonly DeletionCheck[]>>> = {
  pods: ['DrainingNode', 'WaitingForVolumeDetach'],
  attachments: ['WaitingForVolumeDetach'],
};

/** The last check of this process. */
interface LastCheck {
  readonly check: DeletionCheck;
  readonly nextAt: Instant;
}

export class Postponements {
  /** By the uid of the Machine, the oldest first. */
  readonly #checks = new Map<string, LastCheck>();

  /** Remembers the check of this plan. A plan without check ends the memory of the Machine. */
  remember({ metadata }: WholeMachine, { check }: PlannedDeletion, { now }: Pass): void {
    if (check === undefined) {
      this.#checks.delete(metadata.uid);
    } else {
      setNewest(this.#checks, metadata.uid, { check, nextAt: now + betweenChecksMs }, capacity);
    }
  }

  /**
   * Returns the plan of a pass that does not check again: the stored stage stays. `undefined` if the next check is due. Only
   * the first pass of an invocation is postponed, because a later one follows a write of this invocation.
   */
  planOf(machine: WholeMachine, question: DeletionQuestion['ask'], { now, number }: Pass): PlannedDeletion | undefined {
    const last = this.#checks.get(machine.metadata.uid);
    const stage = storedStage(machine);
    const isRepeated =
      last !== undefined && stage?.reason === last.check && checksOfQuestion[question]?.includes(last.check) === true;
    return isRepeated && number === 1 && now < last.nextAt
      ? concluded({ deleting: stage, requeues: [last.nextAt - now] })
      : undefined;
  }
}
