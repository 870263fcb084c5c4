// Fields of provider objects in scenarios, and one pass over them.
export const endpoint = { host: 'api.example.com', port: 6443 };

export const domains = [
  { name: 'b', controlPlane: true },
  { name: 'a', attributes: { rack: '7' } },
];

export const deletionTimestamp = '2026-01-01T00:00:00Z';
export const pausedAnnotation = { 'cluster.x-k8s.io/paused': '' };

export const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2025-12-31T00:00:00Z',
};

export function meta(change: object) {
  return { name: 'example', uid: '', resourceVersion: '', ...change };
}
