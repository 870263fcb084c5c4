// Postpones the next look at a Node whose drain or volumes are awaited. Events of the Machine and of its objects do not
// cause more looks. The memory is lost with the process, which costs one more look.
import type { Instant } from '@capi-serverless/apimachinery';
import { concluded, type Pass } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { DeletionQuestion } from '../phases/deletion/deletion-facts.ts';
import { betweenLooksMs, type DeletionLook, storedStage } from '../phases/deletion/deletion-stage.ts';
import type { DeletionPlan } from '../phases/deletion/plan-deletion.ts';

/** The maximum number of Machines. */
const capacity = 1000;

/** The look that a question would begin. While volumes are awaited, the drain is evaluated again first. */
const looksOfFact: Partial<Readonly<Record<DeletionQuestion['fact'], readonly DeletionLook[]>>> = {
  pods: ['DrainingNode', 'WaitingForVolumeDetach'],
  attachments: ['WaitingForVolumeDetach'],
};

/** The last look of this process. */
interface LastLook {
  readonly look: DeletionLook;
  readonly nextAt: Instant;
}

export class Postponements {
  /** By the uid of the Machine, the oldest first. */
  readonly #looks = new Map<string, LastLook>();

  /** Remembers the look of this plan. A plan without look ends the memory of the Machine. */
  remember({ metadata }: WholeMachine, { look }: DeletionPlan, { now }: Pass): void {
    this.#looks.delete(metadata.uid);
    if (look !== undefined) {
      this.#looks.set(metadata.uid, { look, nextAt: now + betweenLooksMs });
    }
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > capacity && oldest !== undefined) {
      this.#looks.delete(oldest);
    }
  }

  /**
   * Returns the plan of a pass that does not look again: the stored stage stays. `undefined` if the next look is due. Only
   * the first pass of an invocation is postponed, because a later one follows a write of this invocation.
   */
  planOf(machine: WholeMachine, { fact }: DeletionQuestion, { now, number }: Pass): DeletionPlan | undefined {
    const last = this.#looks.get(machine.metadata.uid);
    const stage = storedStage(machine);
    const isRepeated =
      last !== undefined && stage?.reason === last.look && looksOfFact[fact]?.includes(last.look) === true;
    return isRepeated && number === 1 && now < last.nextAt
      ? concluded({ deleting: stage, requeues: [last.nextAt - now] })
      : undefined;
  }
}
