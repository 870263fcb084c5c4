// The suite of the kinds of a workload cluster against the embedded server.
import { workloadKinds } from '../../../../packages/apiserver/workload-cluster.ts';
import { openEmbedded } from '../subject.ts';
import { workloadConformance } from './suite.ts';

workloadConformance('embedded', () => openEmbedded({ kinds: workloadKinds }));
