cd /work/main
for i in 1 2 3; do
/usr/bin/time -f "%e aiohttp.http" .venv/bin/python -c "import aiohttp.http"
/usr/bin/time -f "%e aiohttp.web" .venv/bin/python -c "import aiohttp.web"
PYTHONPATH=/tmp/h/s4/site /usr/bin/time -f "%e httptools" .venv/bin/python -c "import httptools"
PYTHONPATH=/tmp/h/s4/site /usr/bin/time -f "%e httptools+asyncio+uvloop" .venv/bin/python -c "import httptools,asyncio,uvloop"
done
