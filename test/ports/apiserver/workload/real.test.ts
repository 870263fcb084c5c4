// The suite of the kinds of a workload cluster against a real kube-apiserver.
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { workloadConformance } from './suite.ts';

describeReal('the kinds of a workload cluster', () =>
  workloadConformance('kube-apiserver', () =>
    openReal({ controllers: false, apiserverFlags: ['--disable-admission-plugins=ServiceAccount'] }),
  ),
);
