// The subject of a measurement: a program that reconciles Clusters. It is this project or upstream's manager.
import type { ChildProgram } from '../../test/support/child-program.ts';
import type { RealControlPlane } from '../../test/support/real-control-plane.ts';

export interface BenchSubject {
  /** The header of its column. */
  readonly title: string;
  /** The user name at the API server. It identifies the requests of the subject. */
  readonly user: string;
  /** Resolves when the subject reconciles or is about to. */
  start(controlPlane: RealControlPlane): Promise<ChildProgram>;
}
