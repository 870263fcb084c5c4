// The API server's conformance suite against a real kube-apiserver with its garbage collector and namespace controller.
import { describeReal } from '../../support/describe-real.ts';
import { openReal } from './subject.ts';
import { apiServerConformance } from './suite.ts';

describeReal('the conformance suite', () => apiServerConformance('kube-apiserver', openReal), { needs: 'controllers' });
