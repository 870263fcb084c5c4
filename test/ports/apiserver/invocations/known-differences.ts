// Lines that print something else on the embedded server, and why.

/** The descriptions of fields are long texts of Kubernetes. */
const descriptions = 'built-in fields have no description';
const context = 'the kubeconfig names its user otherwise';
/** kube-apiserver sends the reason without its place. */
const precise = 'the error names the reason';

export const knownDifferences: Readonly<Record<string, string>> = {
  "get widgets -l 'color in'": 'the selector is refused for its second word',
  'explain widget': descriptions,
  'explain widget --recursive': 'the field that holds managed fields has no type of its own',
  'explain widget --api-version=conformance.example.com/v1alpha1': descriptions,
  'explain configmap.data': descriptions,
  'explain secret.type': descriptions,
  'config current-context': context,
  'config get-contexts -o name': context,
  'apply -f - --validate=strict': 'the error does not repeat the patch',
  'auth can-i --list': 'rights that an administrator has besides are not listed',
  'patch widget a --type=json -p \'[{"op":"test","path":"/spec/size","value":9}]\'': precise,
  'patch widget a --type=json -p \'[{"op":"remove","path":"/spec/absent"}]\'': precise,
  'patch widget a --type=merge -p \'{"spec":\'': 'the error of the JSON reader is another',
  'patch configmap settings -p \'{"data":{"b":2}}\'': precise,
};
