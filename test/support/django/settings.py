"""The project of the sample shop in Django (docs/shop/django)."""
import os

SECRET_KEY = 'a key of the tests'
ALLOWED_HOSTS = ['*']
INSTALLED_APPS = ['shop']
MIDDLEWARE = []
ROOT_URLCONF = 'shop.urls'
USE_TZ = True
DEFAULT_AUTO_FIELD = 'django.db.models.BigAutoField'
TEMPLATES = [{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True}]
DATABASES = {
    'default': {
        'ENGINE': 'django.db.backends.sqlite3',
        'NAME': os.environ['SHOP_DATABASE'],
        'OPTIONS': {'timeout': 30},
    }
}
SHOP_URL = os.environ['SHOP_URL']
BALCAO_URL = os.environ['BALCAO_URL']
BALCAO_CLIENT_ID = 'demo'
BALCAO_CLIENT_SECRET = 'demo-secret'
BALCAO_ACCESS_KEY = os.environ['BALCAO_ACCESS_KEY']
BALCAO_WEBHOOK_SECRET = os.environ['BALCAO_WEBHOOK_SECRET']
