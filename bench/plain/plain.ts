// Section `plain`: Clusters with provisioned infrastructure. Compares this project with upstream's manager.
import { coreCrds } from '../../shared/api/crds.ts';
import { findControlPlaneBinaries } from '../../test/support/control-plane-binaries.ts';
import { prepareUpstream } from '../../test/upstream-manager/manager.ts';
import type { Say, Section } from '../section.ts';
import { measureSubject, type SubjectMeasurements, type SubjectSizes } from './measure-subject.ts';
import { ours } from './ours.ts';
import { toRows } from './rows.ts';
import type { BenchSubject } from './subject.ts';
import { upstream } from './upstream.ts';

interface PlainOptions {
  readonly sizes: SubjectSizes;
  /** The reason why upstream cannot run on this machine. Undefined if it can. */
  readonly noUpstream: string | undefined;
  readonly say: Say;
}

export const fullSizes: SubjectSizes = { warmUp: 10, oneByOne: 10, atOnce: [49, 200] };
export const quickSizes: SubjectSizes = { warmUp: 2, oneByOne: 2, atOnce: [5, 20] };

/** Measures the subjects sequentially, each with its own control plane. */
export async function measurePlain({ sizes, noUpstream, say }: PlainOptions): Promise<Section> {
  const section = { name: 'plain', title: 'Plain Clusters whose infrastructure is provisioned already' };
  const binaries = findControlPlaneBinaries();
  if ('missing' in binaries) {
    return { ...section, subjects: [], rows: [], skipped: [`everything, since ${binaries.missing}`] };
  }
  const baseline = noUpstream === undefined ? await prepareUpstream(say) : { missing: noUpstream };
  const hasUpstream = !('missing' in baseline);
  const subjects = [ours, ...(hasUpstream ? toUpstreams(baseline.program) : [])];
  const crds = hasUpstream ? baseline.crds : coreCrds;
  const measured: SubjectMeasurements[] = [];
  for (const subject of subjects) {
    measured.push(await measureSubject(subject, { sizes, crds, say }));
  }
  return {
    ...section,
    subjects: subjects.map(({ title }) => title),
    rows: toRows(measured),
    skipped: hasUpstream ? [] : [`upstream's manager, since ${baseline.missing}`],
  };
}

function toUpstreams(program: string): readonly BenchSubject[] {
  return [
    upstream({ title: 'upstream v1.14.0', program, flags: [] }),
    upstream({
      title: 'upstream, no rate limit',
      program,
      flags: ['--feature-gates=ReconcilerRateLimiting=false'],
    }),
  ];
}
