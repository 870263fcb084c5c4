// Validation rules on a real kube-apiserver.
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { ruleConformance } from './suite.ts';

describeReal('validation rules', () => ruleConformance('kube-apiserver', () => openReal({ controllers: false })));
