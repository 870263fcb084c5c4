// What is believed to change nothing when a topology is applied, on a real kube-apiserver.
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { certainty } from './certainty.ts';

describeReal('ownership of fields', () => certainty('kube-apiserver', () => openReal({ controllers: false }), 25));
