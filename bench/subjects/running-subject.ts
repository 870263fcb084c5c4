// One subject with a new control plane. Every wait has a limit.
import type { Intent } from '@capi-serverless/apimachinery';
import type { ChildProgram } from '../../test/support/child-program.ts';
import { define, untilDiscovered } from '../../test/support/definitions.ts';
import { type RealControlPlane, startControlPlane } from '../../test/support/real-control-plane.ts';
import { connectWorldClient, type WorldClient } from '../../test/support/world-client.ts';
import { cpuMsOf } from '../process-usage.ts';
import type { Say } from '../section.ts';
import { within } from './limit.ts';
import { type RequestCounts, RequestLog } from './request-log.ts';
import type { BenchSubject } from './subject.ts';

/** CPU time in milliseconds. Null if unknown. */
export interface Cpu {
  readonly apiserver: number | null;
  readonly etcd: number | null;
  readonly subject: number | null;
}

interface Worked<T> {
  readonly value: T;
  /** The requests from the start of the work until the subject sends no more requests. */
  readonly requests: RequestCounts;
  readonly cpu: Cpu;
}

interface WaitOptions {
  readonly state?: () => string;
  readonly limitMs?: number;
}

export class RunningSubject {
  readonly client: WorldClient;
  readonly controlPlane: RealControlPlane;
  readonly subject: BenchSubject;
  readonly pid: number;
  readonly say: Say;
  readonly log: RequestLog;
  readonly #running: ChildProgram;

  constructor(at: Omit<Started, 'running'> & { readonly running: ChildProgram; readonly log: RequestLog }) {
    this.client = at.client;
    this.controlPlane = at.controlPlane;
    this.subject = at.subject;
    this.say = at.say;
    this.log = at.log;
    this.pid = at.running.pid;
    this.#running = at.running;
  }

  /** Rejects after some minutes, with what was awaited and the last line of the subject. */
  within<T>(
    what: string,
    awaited: Promise<T>,
    { state = () => 'no progress is known', limitMs }: WaitOptions = {},
  ): Promise<T> {
    const whole = () => `${state()}; its last line: ${this.#running.lastLine()}`;
    return within({ what, state: whole, say: this.say, limitMs }, awaited);
  }

  /** Waits until the subject is idle, works, and waits again. */
  async measure<T>(work: () => Promise<T>): Promise<Worked<T>> {
    await this.log.readUntilQuiet();
    const before = this.#cpu();
    const value = await work();
    const requests = await this.log.readUntilQuiet();
    return { value, requests, cpu: toUsed(before, this.#cpu()) };
  }

  #cpu(): Cpu {
    const { pids } = this.controlPlane;
    return {
      apiserver: cpuMsOf(pids['kube-apiserver'] ?? 0),
      etcd: cpuMsOf(pids['etcd'] ?? 0),
      subject: cpuMsOf(this.pid),
    };
  }
}

function toUsed(before: Cpu, after: Cpu): Cpu {
  const used = (of: keyof Cpu): number | null => {
    const [from, to] = [before[of], after[of]];
    return from === null || to === null ? null : to - from;
  };
  return { apiserver: used('apiserver'), etcd: used('etcd'), subject: used('subject') };
}

interface Started {
  readonly client: WorldClient;
  readonly controlPlane: RealControlPlane;
  readonly subject: BenchSubject;
  readonly say: Say;
}

interface StartOptions {
  /** They are the same for every subject. */
  readonly crds: readonly Intent[];
  readonly say: Say;
  /** Whether kube-controller-manager runs. Default: false. */
  readonly controllers?: boolean;
}

/** Longer than the limits of the steps, whose errors say more. */
const startLimitMs = 330_000;

/** Starts a control plane and the subject, and stops both after the work. */
export async function withSubject<T>(
  subject: BenchSubject,
  { crds, say, controllers = false }: StartOptions,
  work: (running: RunningSubject) => Promise<T>,
): Promise<T> {
  const sayOf: Say = line => say(`${subject.title}: ${line}`);
  const step = <S>(what: string, awaited: Promise<S>): Promise<S> => {
    sayOf(what);
    return within({ what: `${subject.title}: ${what}`, state: () => 'not done', say, limitMs: startLimitMs }, awaited);
  };
  const users = [{ name: subject.user, groups: ['system:masters'] }];
  const controlPlane = await step('starting a control plane', startControlPlane({ users, controllers }));
  try {
    const client = await step('connecting', connectWorldClient(controlPlane.kubeconfigPath('admin')));
    await step('defining the kinds', define(client, crds));
    await step('waiting for the discovery', untilDiscovered(controlPlane, crds));
    const running = await step('starting the subject', subject.start(controlPlane));
    const log = new RequestLog(controlPlane.auditLogPath, subject.user);
    try {
      return await work(new RunningSubject({ client, controlPlane, subject, say: sayOf, running, log }));
    } finally {
      log.close();
      await step('stopping the subject', running.stop());
    }
  } finally {
    await step('stopping the control plane', controlPlane.stop());
  }
}
