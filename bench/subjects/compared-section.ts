// A section that compares this project with upstream's manager.
import type { Intent } from '@capi-serverless/apimachinery';
import { coreCrds } from '../../shared/api/crds.ts';
import { findControlPlaneBinaries } from '../../test/support/control-plane-binaries.ts';
import { prepareUpstream } from '../../test/upstream-manager/manager.ts';
import type { Row, Say, Section } from '../section.ts';
import { ours } from './ours.ts';
import type { BenchSubject } from './subject.ts';
import { upstream } from './upstream.ts';

export interface CompareOptions {
  /** The reason why upstream cannot run on this machine. Undefined if it can. */
  readonly noUpstream: string | undefined;
  readonly say: Say;
}

interface Compared<Measured> extends Pick<Section, 'name' | 'title'> {
  /** Returns the configurations of upstream's manager. */
  readonly upstreams: (program: string) => readonly BenchSubject[];
  readonly measure: (subject: BenchSubject, crds: readonly Intent[]) => Promise<Measured>;
  readonly toRows: (measured: readonly Measured[]) => readonly Row[];
}

/** Measures the subjects sequentially. */
export async function compare<Measured>(
  { name, title, upstreams, measure, toRows }: Compared<Measured>,
  { noUpstream, say }: CompareOptions,
): Promise<Section> {
  const binaries = findControlPlaneBinaries();
  if ('missing' in binaries) {
    return { name, title, subjects: [], rows: [], skipped: [`everything, since ${binaries.missing}`] };
  }
  const baseline = noUpstream === undefined ? await prepareUpstream(say) : { missing: noUpstream };
  const hasUpstream = !('missing' in baseline);
  const subjects = [ours, ...(hasUpstream ? upstreams(baseline.program) : [])];
  const measured: Measured[] = [];
  for (const subject of subjects) {
    measured.push(await measure(subject, hasUpstream ? baseline.crds : coreCrds));
  }
  return {
    name,
    title,
    subjects: subjects.map(subject => subject.title),
    rows: toRows(measured),
    skipped: hasUpstream ? [] : [`upstream's manager, since ${baseline.missing}`],
  };
}

/** Upstream's manager as released, with all settings at their defaults. */
export function upstreamAsReleased(program: string): BenchSubject {
  return upstream({ title: 'upstream v1.14.0', program, flags: [] });
}

export function upstreamWithoutRateLimit(program: string): BenchSubject {
  const flags = ['--feature-gates=ReconcilerRateLimiting=false'];
  return upstream({ title: 'upstream, no rate limit', program, flags });
}
