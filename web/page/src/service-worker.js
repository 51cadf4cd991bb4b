// Caches all files of the page for offline use. The build inserts their names and a version, which
// changes with any file; a new version caches all files again.

// Another folder of this host may have another copy of the page.
const FAMILY = `carrybit-page ${self.registration.scope} `;
const CACHE = `${FAMILY}__VERSION__`;
const FILES = ['__FILES__'];

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
    // Some hosts redirect `x.html` to `x`, and browsers refuse a redirected response to a navigation.
    return kept?.redirected ? new Response(kept.body, kept) : (kept ?? fetch(request));
  };
  event.respondWith(answer());
});
