// A certificate for servers of tests on 127.0.0.1.
export { makeSelfSignedCertificate } from '../../packages/apiserver/http/certificate.ts';
