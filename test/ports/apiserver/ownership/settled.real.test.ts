// A topology is settled immediately after it was applied, on a real kube-apiserver.
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { settledTopology } from './settled.ts';

describeReal('topologies', () => settledTopology('kube-apiserver', () => openReal({ controllers: false })));
