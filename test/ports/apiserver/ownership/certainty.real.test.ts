// Applies of a topology that are predicted to change nothing, on a real kube-apiserver.
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { certainty } from './certainty.ts';

describeReal('ownership of fields', () => certainty('kube-apiserver', () => openReal({ controllers: false }), 25));
