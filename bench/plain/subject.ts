// What reconciles Clusters while the bench watches: this project, or upstream's manager.
import type { RealControlPlane } from '../../test/support/real-control-plane.ts';

export interface Subject {
  /** Heads its column. */
  readonly title: string;
  /** Its user at the API server, by which its requests are told from others. */
  readonly user: string;
  /** Resolves when it reconciles, or is about to. */
  start(controlPlane: RealControlPlane): Promise<RunningSubject>;
}

export interface RunningSubject {
  readonly pid: number;
  /** What it printed last, for the message of a bench that fails. */
  lastLine(): string;
  stop(): Promise<void>;
}
