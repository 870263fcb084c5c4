// A certificate for servers of tests on 127.0.0.1.
export { makeSelfSignedCertificate, type SelfSigned } from '../../infra/local/apiserver/http/certificate.ts';
