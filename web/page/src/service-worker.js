// Keeps the page for use offline: all of its files on the first visit, and again when one of
// them has changed. The build puts in their names, and a version that changes with them.

// Another copy of the page may lie in another folder of this host, with files of its own.
const FAMILY = `carrybit-page ${self.registration.scope} `;
const CACHE = `${FAMILY}__VERSION__`;
const FILES = ['__FILES__'];

/** The page by its full name; some hosts send visitors on from there, and that cannot be kept. */
const INDEX = new URL('index.html', self.location).pathname;

self.addEventListener('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })));
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener('activate', (event) => {
  const clean = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(FAMILY) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) {
    return;
  }
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(pathname === INDEX ? './' : request, { ignoreSearch: true });
    return kept ?? fetch(request);
  };
  event.respondWith(answer());
});
