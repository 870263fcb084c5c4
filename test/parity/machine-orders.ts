// Plays the providers of Machines with the code of the corpus, on the clock of a stage.
import type { CorpusMachines } from './corpus-code.ts';
import type { MachineOrder } from './steps.ts';

/** The times of the recorder. */
const lookEveryMs = 500;
const longestWaitMs = 60_000;
const playEveryMs = 300;

export class MachineOrders {
  readonly #machines: CorpusMachines;
  readonly #sleep: (ms: number) => Promise<void>;
  /** The orders that also apply to Machines that appear later. */
  #standing: readonly MachineOrder[] = [];
  #isPlaying = false;
  #isOver = false;

  constructor(machines: CorpusMachines, sleep: (ms: number) => Promise<void>) {
    this.#machines = machines;
    this.#sleep = sleep;
  }

  async perform(order: MachineOrder): Promise<void> {
    switch (order.keep) {
      case false:
        this.#standing = [];
        return;
      case true:
        this.#standing = [...this.#standing, order];
        void this.#playOn();
        return;
      case undefined:
        await this.#waitFor(order);
        await this.#machines.round(order);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  async #waitFor(order: MachineOrder): Promise<void> {
    for (let waited = 0; waited < longestWaitMs; waited += lookEveryMs) {
      if ((await this.#machines.matching(order)).length >= (order.expect ?? 0)) {
        return;
      }
      await this.#sleep(lookEveryMs);
    }
  }

  /** An object that does not exist yet is tried again. */
  async #playOn(): Promise<void> {
    if (this.#isPlaying) {
      return;
    }
    this.#isPlaying = true;
    while (!this.#isOver) {
      for (const order of this.#standing) {
        await this.#machines.round(order).catch(() => {});
      }
      await this.#sleep(playEveryMs);
    }
  }
}
