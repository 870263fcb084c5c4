// The suite of the kinds of a workload cluster against the embedded server.
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { openEmbedded } from '../subject.ts';
import { workloadConformance } from './suite.ts';

workloadConformance('embedded', () => openEmbedded({ kinds: workloadKinds }));
