from django.core.management.base import BaseCommand

from ...payments import read_feed


class Command(BaseCommand):
    help = 'Finishes paid orders whose notifications were missed. Run it every minute.'

    def handle(self, *args, **options):
        read_feed()
